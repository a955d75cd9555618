import { isRecord, type JsonRecord, parseGoDurationMs } from "../../api/index.ts";
import { AppError } from "../../errors.ts";

/** Any JSON object. */
export type Json = JsonRecord;

export { isRecord };

/** The value when it is an object, else an empty one. */
export function recordOf(value: unknown): Json {
  return isRecord(value) ? value : {};
}

/** A text, number or truth value as text; everything else is empty. */
export function plainText(value: unknown): string {
  if (typeof value === "string") return value;
  return typeof value === "number" || typeof value === "boolean" ? String(value) : "";
}

/**
 * The rendered arguments of a phase, read as weakly as upstream reads them: numbers in texts, one element for a list,
 * names in any case. What cannot be read that way is an error that names the argument.
 */
export class Args {
  readonly #func: string;
  readonly #values: Json;

  constructor(func: string, values: Json) {
    this.#func = func;
    this.#values = values;
  }

  /** Whether it was given, empty or not. */
  has(name: string): boolean {
    return Object.hasOwn(this.#values, name);
  }

  raw(name: string): unknown {
    return this.has(name) ? this.#values[name] : undefined;
  }

  /** A text; absent and empty are the default. */
  text(name: string, otherwise = ""): string {
    const value = this.raw(name);
    if (value === undefined || value === null || value === "") return otherwise;
    if (typeof value === "string") return value;
    if (typeof value === "number" || typeof value === "boolean") return String(value);
    throw this.#odd(name, "a text");
  }

  /** A text that must not be empty. */
  need(name: string): string {
    const text = this.text(name);
    if (text === "") throw this.#odd(name, "a text that is not empty");
    return text;
  }

  /** A list of texts; one text is a list of one. */
  texts(name: string): string[] {
    const value = this.raw(name);
    if (value === undefined || value === null) return [];
    const list: readonly unknown[] = Array.isArray(value) ? value : [value];
    return list.map((one) => {
      if (typeof one === "string") return one;
      if (typeof one === "number" || typeof one === "boolean") return String(one);
      throw this.#odd(name, "a list of texts");
    });
  }

  /** Words separated by spaces, as functions over many pods take them. */
  words(name: string): string[] {
    return this.texts(name).flatMap((text) => text.split(/\s+/).filter(Boolean));
  }

  flag(name: string, otherwise: boolean): boolean {
    const value = this.raw(name);
    if (value === undefined || value === null || value === "") return otherwise;
    if (typeof value === "boolean") return value;
    if (typeof value === "number") return value !== 0;
    if (typeof value === "string" && /^(1|t|true)$/i.test(value)) return true;
    if (typeof value === "string" && /^(0|f|false)$/i.test(value)) return false;
    throw this.#odd(name, "true or false");
  }

  /** A whole number from 0 up to what a replica count may be. */
  count(name: string): number {
    const text = this.text(name);
    if (!/^\d{1,10}$/.test(text) || Number(text) > 2_147_483_647) {
      throw this.#odd(name, "a number from 0 to 2147483647");
    }
    return Number(text);
  }

  durationMs(name: string): number {
    const ms = parseGoDurationMs(this.text(name));
    if (ms === undefined || ms <= 0) throw this.#odd(name, "a duration such as 5m");
    return ms;
  }

  record(name: string): Json {
    const value = this.raw(name);
    if (value === undefined || value === null || value === "") return {};
    if (!isRecord(value)) throw this.#odd(name, "an object");
    return value;
  }

  textMap(name: string): Record<string, string> {
    return Object.fromEntries(
      Object.entries(this.record(name)).map(([key, value]) => {
        if (typeof value === "object" && value !== null) throw this.#odd(name, "an object with texts");
        return [key, plainText(value)];
      }),
    );
  }

  #odd(name: string, wanted: string): AppError {
    const shown = JSON.stringify(this.raw(name))?.slice(0, 80) ?? "nothing";
    return badArgument(`argument "${name}" of function "${this.#func}" takes ${wanted}, not ${shown}`);
  }
}

/** An argument that no second try makes better. */
export function badArgument(message: string, cause?: unknown): AppError {
  return new AppError("ACTION_ARGUMENTS", message, { retry: false, cause });
}
