/** Whose name a decision is recorded with: that of the session, unless somebody else sits here. */
export function PersonField({ name, change }: { name: string; change: (name: string) => void }) {
  return (
    <label class="field">
      Your name
      <input
        type="text"
        required
        maxLength={1024}
        value={name}
        autocomplete="name"
        onInput={(event) => change(event.currentTarget.value)}
      />
      <small>The decision is recorded with it.</small>
    </label>
  );
}
