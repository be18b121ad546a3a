/** Calls of the API: JSON in and out, one class of error, and news when the session has ended. */

import { parseJson, parseWritten } from "./exact";

export class ApiError extends Error {
  constructor(
    /** HTTP status; 0 when the server was not reached. */
    readonly status: number,
    /** The stable code, such as `execution_in_progress`. */
    readonly code: string,
    message: string,
    /** The path of the bad value, where there is one. */
    readonly field: string | null = null,
  ) {
    super(message);
  }
}

/** A refusal that the same request meets whenever it is sent. */
export class RefusedForGood extends ApiError {}

/** A body whose text is sent as it stands: what somebody else wrote is passed on digit by digit. */
export class JsonText {
  constructor(readonly text: string) {}
}

type Query = Record<string, string | number | boolean | null | undefined>;

let signedOut: () => void = () => {};

export function onSignedOut(listener: () => void): void {
  signedOut = listener;
}

export const api = {
  get: <T>(path: string, query?: Query, signal?: AbortSignal) =>
    call<T>("GET", path, query, undefined, signal),
  /** For replies that hold what agents wrote: each number as it is written. */
  getWritten: async <T>(path: string, query?: Query, signal?: AbortSignal) =>
    parseWritten<T>(await api.getText(path, query, signal)),
  /** The reply as text, for what JavaScript's numbers cannot hold. */
  getText: (path: string, query?: Query, signal?: AbortSignal) =>
    send("GET", path, query, undefined, signal).then((response) => response.text()),
  post: <T>(path: string, body?: unknown) => call<T>("POST", path, undefined, body),
  postWritten: async <T>(path: string, body?: unknown) =>
    parseWritten<T>(await (await send("POST", path, undefined, body)).text()),
  put: <T>(path: string, body?: unknown) => call<T>("PUT", path, undefined, body),
  patch: <T>(path: string, body?: unknown) => call<T>("PATCH", path, undefined, body),
  delete: <T>(path: string, query?: Query) => call<T>("DELETE", path, query),
};

async function call<T>(
  method: string,
  path: string,
  query?: Query,
  body?: unknown,
  signal?: AbortSignal,
): Promise<T> {
  const response = await send(method, path, query, body, signal);
  return parseJson<T>(await response.text());
}

async function send(
  method: string,
  path: string,
  query?: Query,
  body?: unknown,
  signal?: AbortSignal,
): Promise<Response> {
  const request: RequestInit = { method, credentials: "same-origin" };
  if (signal !== undefined) request.signal = signal;
  if (body !== undefined) {
    request.headers = { "content-type": "application/json" };
    request.body = body instanceof JsonText ? body.text : JSON.stringify(body);
  }
  let response: Response;
  try {
    response = await fetch(path + queryString(query), request);
  } catch (error) {
    if (error instanceof DOMException && error.name === "AbortError") throw error;
    throw new ApiError(0, "unreachable", "The server cannot be reached.");
  }
  if (response.ok) return response;
  const error = await errorOf(response);
  if (error.status === 401 && !path.startsWith("/api/v1/console/session")) signedOut();
  throw error;
}

async function errorOf(response: Response): Promise<ApiError> {
  try {
    const told = await response.json();
    const sentence = [told.error, told.hint].filter(Boolean).join(" ");
    return new ApiError(response.status, told.status, sentence || response.statusText, told.field ?? null);
  } catch {
    return new ApiError(response.status, "unknown", `The server answered ${response.status}.`);
  }
}

export function queryString(query?: Query): string {
  const values = Object.entries(query ?? {}).filter(
    ([, value]) => value !== null && value !== undefined && value !== "",
  );
  if (values.length === 0) return "";
  return `?${new URLSearchParams(values.map(([name, value]) => [name, String(value)]))}`;
}

/** One segment of a path. Ids hold `~` and `:`, which may stay as they are. */
export function segment(id: string): string {
  return encodeURIComponent(id).replaceAll("%3A", ":");
}
