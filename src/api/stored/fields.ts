import { isRecord, type JsonRecord, own } from "../../../packages/apimachinery/index.ts";
import { AppError } from "../../errors.ts";
import type { Grammar } from "../conventions/grammar.ts";
import { parseTimeMs } from "../conventions/time.ts";

/** What one map of labels, annotations or tags may hold. */
const mapLimit = 256;

/** The fields of one object of a stored file; what has not the form that is asked for is STORED_INVALID, and named. */
export class StoredFields {
  readonly #file: string;
  readonly #path: string;
  readonly #value: JsonRecord;

  /** `path` is where in the file the object stands, "" for the file itself. */
  constructor(file: string, path: string, value: unknown) {
    this.#file = file;
    this.#path = path;
    this.#value = isRecord(value) ? value : this.#fault("", value, "an object");
  }

  /** An object inside; an absent one is empty. */
  object(name: string): StoredFields {
    return new StoredFields(this.#file, this.#at(name), own(this.#value, name) ?? {});
  }

  /** The object as it is, for what the API server checks by its schema. */
  get raw(): JsonRecord {
    return this.#value;
  }

  /** A text that must be there. */
  text(name: string, form: Grammar): string {
    return this.optional(name, form) ?? this.#fault(name, own(this.#value, name), form.words);
  }

  /** A text that may be absent, null or empty. */
  optional(name: string, form: Grammar): string | undefined {
    const value = own(this.#value, name);
    if (value === undefined || value === null || value === "") return undefined;
    return typeof value === "string" && form.fits(value) ? value : this.#fault(name, value, form.words);
  }

  /** One word of a closed set; an absent, null or empty one is undefined. */
  oneOf<T extends string>(name: string, words: readonly T[]): T | undefined {
    const value = own(this.#value, name);
    if (value === undefined || value === null || value === "") return undefined;
    return words.find((word) => word === value) ?? this.#fault(name, value, `one of ${words.join(", ")}`);
  }

  /** A whole number that is not negative. */
  count(name: string): number | undefined {
    const value = own(this.#value, name);
    if (value === undefined || value === null) return undefined;
    if (typeof value === "number" && Number.isSafeInteger(value) && value >= 0) return value;
    return this.#fault(name, value, "a whole number");
  }

  /** A moment as it is written. */
  time(name: string): string | undefined {
    const value = own(this.#value, name);
    if (value === undefined || value === null) return undefined;
    if (typeof value === "string" && value.length < 64 && parseTimeMs(value) !== undefined) return value;
    return this.#fault(name, value, "a time");
  }

  /** Free text, cut to a length; it is shown and never used. */
  remark(name: string, limit: number): string | undefined {
    const value = own(this.#value, name);
    return typeof value === "string" && value !== "" ? value.slice(0, limit) : undefined;
  }

  /** A map of texts; values are not quoted when they are wrong, since they may be anything. */
  map(name: string, keys: Grammar, values: Grammar | undefined): Readonly<Record<string, string>> {
    const value = own(this.#value, name) ?? {};
    if (!isRecord(value)) return this.#fault(name, value, "a map");
    const entries = Object.entries(value);
    if (entries.length > mapLimit)
      this.#fault(name, `${entries.length} entries`, `a map of ${mapLimit} at most`);
    return Object.fromEntries(
      entries.map(([key, text]) => {
        if (!keys.fits(key)) this.#fault(name, key, keys.words);
        const isRight =
          typeof text === "string" && (text === "" || values === undefined || values.fits(text));
        return [key, isRight ? text : this.#fault(`${name}["${key}"]`, undefined, values?.words ?? "a text")];
      }),
    );
  }

  /** A list of objects. */
  list(name: string): readonly StoredFields[] {
    const value = own(this.#value, name) ?? [];
    if (!Array.isArray(value)) return this.#fault(name, value, "a list");
    return value.map((one, at) => new StoredFields(this.#file, this.#at(`${name}[${at}]`), one));
  }

  /** Refuses a field for a reason that its form does not show. */
  refuse(name: string, words: string): never {
    return this.#fault(name, own(this.#value, name), words);
  }

  #at(name: string): string {
    return this.#path === "" || name === "" ? `${this.#path}${name}` : `${this.#path}.${name}`;
  }

  #fault(name: string, found: unknown, words: string): never {
    const at = this.#at(name);
    const message = `stored file "${this.#file}": ${at === "" ? "it" : at} is ${quoted(found)}, not ${words}`;
    throw new AppError("STORED_INVALID", message, { retry: false });
  }
}

/** Each object of a stored list. */
export function storedItems(file: string, list: readonly unknown[]): readonly StoredFields[] {
  return list.map((one, at) => new StoredFields(file, `[${at}]`, one));
}

/** What was found, short and on one line; only texts are quoted, since an object may hold anything. */
function quoted(found: unknown): string {
  if (found === undefined || found === null) return "absent";
  if (typeof found === "string") return JSON.stringify(found.length > 80 ? `${found.slice(0, 80)}…` : found);
  if (typeof found === "number" || typeof found === "boolean") return String(found);
  return Array.isArray(found) ? "a list" : "an object";
}
