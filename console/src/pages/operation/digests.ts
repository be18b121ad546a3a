/** How the server and its clients name things, computed here so that a link needs no search. */

/** The id of the operation that a key names on a channel. */
export function executionIdOf(channelId: string, keyName: string): string {
  return `${channelId}~${hex(sha256(utf8(keyName))).slice(0, 32)}`;
}

const NAMESPACE = "3f74e5f19b2c4a7e8f1d000000000001";
const BYTES_MAX = 256;

/**
 * What `current_operation().idempotency_key` is for an operation: what a tool may have handed to its provider.
 * Null on a page that is neither https nor loopback, where browsers keep SHA-1 away from scripts.
 */
export async function providerKeyOf(channelId: string, keyName: string): Promise<string | null> {
  if (globalThis.crypto?.subtle === undefined) return null;
  let name = utf8(["actae.provider", "effect", channelId, keyName].join("\0"));
  if (name.length > BYTES_MAX) {
    const digest = hex(sha256(utf8([channelId, keyName].join("\0"))));
    name = utf8(["actae.provider", "effect", digest].join("\0"));
  }
  const whole = new Uint8Array([...bytesOf(NAMESPACE), ...name]);
  const bytes = new Uint8Array(await crypto.subtle.digest("SHA-1", whole)).slice(0, 16);
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x50; // version 5
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
  const text = hex(bytes);
  return [text.slice(0, 8), text.slice(8, 12), text.slice(12, 16), text.slice(16, 20), text.slice(20)].join(
    "-",
  );
}

/** FIPS 180-4. The browser's own is not there on plain http, and answers later. */
export function sha256(message: Uint8Array): Uint8Array {
  const padded = new Uint8Array(((message.length + 72) >> 6) << 6);
  padded.set(message);
  padded[message.length] = 0x80;
  const view = new DataView(padded.buffer);
  view.setUint32(padded.length - 8, Math.floor(message.length / 2 ** 29));
  view.setUint32(padded.length - 4, message.length << 3);
  const sums = Uint32Array.from(primes(8), (prime) => fraction(Math.sqrt(prime)));
  const constants = Uint32Array.from(primes(64), (prime) => fraction(Math.cbrt(prime)));
  const words = new Uint32Array(64);
  for (let block = 0; block < padded.length; block += 64) {
    for (let at = 0; at < 16; at += 1) words[at] = view.getUint32(block + at * 4);
    for (let at = 16; at < 64; at += 1) {
      const [before, later] = [word(words, at - 15), word(words, at - 2)];
      const low = turned(before, 7) ^ turned(before, 18) ^ (before >>> 3);
      const high = turned(later, 17) ^ turned(later, 19) ^ (later >>> 10);
      words[at] = word(words, at - 16) + low + word(words, at - 7) + high;
    }
    mix(sums, words, constants);
  }
  const out = new Uint8Array(32);
  const written = new DataView(out.buffer);
  sums.forEach((sum, at) => {
    written.setUint32(at * 4, sum);
  });
  return out;
}

function mix(sums: Uint32Array, words: Uint32Array, constants: Uint32Array): void {
  const [a0, b0, c0, d0, e0, f0, g0, h0] = sums as unknown as EightWords;
  let [a, b, c, d, e, f, g, h] = [a0, b0, c0, d0, e0, f0, g0, h0];
  for (let at = 0; at < 64; at += 1) {
    const chosen = (e & f) ^ (~e & g);
    const one =
      (h + (turned(e, 6) ^ turned(e, 11) ^ turned(e, 25)) + chosen + word(constants, at) + word(words, at)) |
      0;
    const two = ((turned(a, 2) ^ turned(a, 13) ^ turned(a, 22)) + ((a & b) ^ (a & c) ^ (b & c))) | 0;
    [h, g, f, e, d, c, b, a] = [g, f, e, (d + one) | 0, c, b, a, (one + two) | 0];
  }
  [a, b, c, d, e, f, g, h].forEach((value, at) => {
    sums[at] = word(sums, at) + value;
  });
}

type EightWords = [number, number, number, number, number, number, number, number];

function word(words: Uint32Array, at: number): number {
  return words[at] ?? 0;
}

function turned(value: number, by: number): number {
  return (value >>> by) | (value << (32 - by));
}

function fraction(value: number): number {
  return Math.floor((value - Math.floor(value)) * 2 ** 32);
}

function primes(wanted: number): number[] {
  const found: number[] = [];
  for (let number = 2; found.length < wanted; number += 1) {
    if (found.every((prime) => number % prime !== 0)) found.push(number);
  }
  return found;
}

function utf8(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}

function hex(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

function bytesOf(text: string): number[] {
  return (text.match(/../g) ?? []).map((pair) => Number.parseInt(pair, 16));
}
