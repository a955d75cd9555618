import { mapErrors } from "./map-errors.ts";

/** What stands where a secret value stood. Shorter than any value that is masked, so that masking twice changes nothing. */
const mark = "***";
/** Shorter values are left alone: they are parts of ordinary words, and masking them would destroy the text around. */
const shortest = 4;
/** What is remembered: a Secret holds at most a MiB, and a run reads a handful. Beyond this nothing more is learned. */
const mostForms = 10_000;
const mostChars = 8 << 20;

/**
 * The secret values that one piece of work has read, and the way to take them out of text that leaves the process.
 *
 * One per piece of work, never one for all: a value such as "default" in somebody's Secret must not blot out the statuses of others.
 */
export class Mask {
  readonly #forms = new Set<string>();
  #chars = 0;
  #ordered: readonly string[] | undefined;

  /** Remembers a value: itself, its lines, what they assign, what it holds as JSON, and the base64 of each whole value. */
  learn(value: string | undefined): void {
    if (value === undefined || this.#forms.has(value)) return;
    for (const whole of new Set([value, value.trim()])) {
      this.#add(whole);
      const base64 = Buffer.from(whole).toString("base64");
      for (const form of [base64, base64.replace(/=+$/, ""), Buffer.from(whole).toString("base64url")]) {
        this.#add(form);
      }
    }
    for (const leaf of leavesOf(value)) this.#lines(leaf);
    this.#lines(value);
  }

  /** Remembers what a Secret holds. */
  learnSecret(secret: { readonly data?: Readonly<Record<string, string>> | undefined } | undefined): void {
    for (const value of Object.values(secret?.data ?? {}))
      this.learn(Buffer.from(value, "base64").toString());
  }

  /** The text without the values. */
  text(text: string): string {
    // Longest first: a value that holds another one must go as a whole.
    this.#ordered ??= [...this.#forms].toSorted((a, b) => b.length - a.length);
    let masked = text;
    for (const form of this.#ordered) if (masked.includes(form)) masked = masked.replaceAll(form, mark);
    return masked;
  }

  /** An error without the values: the same one, since its class and code tell what to do about it. */
  error(error: unknown): unknown {
    const seen = new Set<unknown>();
    for (let one = error; one instanceof Error && !seen.has(one); one = one.cause) {
      seen.add(one);
      this.#replace(one, "message");
      this.#replace(one, "stack");
    }
    return error;
  }

  /** Errors of the platform have no setter for their message. */
  #replace(error: Error, key: "message" | "stack"): void {
    const before = error[key];
    if (before === undefined) return;
    const value = this.text(before);
    if (value !== before) Object.defineProperty(error, key, { value, writable: true, configurable: true });
  }

  #lines(value: string): void {
    for (const line of value.split(/[\r\n]+/)) {
      this.#add(line.trim());
      // Files of credentials: `key = value`, `key: value`.
      const assigned = /^[\w .-]+?\s*[=:]\s*(.+)$/.exec(line.trim())?.[1];
      if (assigned !== undefined) this.#add(assigned.replace(/^(["'])(.*)\1$/, "$2"));
    }
  }

  #add(form: string): void {
    if (form.length < shortest || this.#forms.has(form)) return;
    if (this.#forms.size >= mostForms || this.#chars + form.length > mostChars) return;
    this.#forms.add(form);
    this.#chars += form.length;
    this.#ordered = undefined;
  }
}

/** An object whose methods throw only what is masked. */
export function maskErrors<T extends object>(target: T, mask: Pick<Mask, "error">): T {
  return mapErrors(target, (error) => mask.error(error));
}

/** The texts inside a value that is JSON, such as the key of a cloud account. */
function leavesOf(value: string): readonly string[] {
  if (!/^\s*[{[]/.test(value)) return [];
  const found: string[] = [];
  try {
    JSON.parse(value, (_key, one: unknown) => {
      if (typeof one === "string") found.push(one);
      return one;
    });
  } catch {
    return []; // no JSON: its lines are learned all the same
  }
  return found;
}
