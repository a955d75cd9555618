import { Budget, defaultLimits, type Limits } from "./budget.ts";
import { TemplateError } from "./error.ts";
import { execute, type MissingKey } from "./exec.ts";
import { builtins } from "./functions/builtins.ts";
import type { Func, Ports } from "./functions/define.ts";
import { sprig } from "./functions/sprig.ts";
import { parse, type Template } from "./parse.ts";
import { type Reference, references } from "./references.ts";
import { printable } from "./text.ts";
import { builtInZone, compiledZone, utc } from "./time/zone.ts";
import { wrap, type Zone } from "./value.ts";

/** How templates are rendered. */
export interface Options {
  /** The name in errors. */
  readonly name?: string;
  readonly missingKey?: MissingKey;
  /** false leaves text/template alone with its own functions, as kubectl's printer has it. */
  readonly sprig?: boolean;
  /** More functions, such as those that Helm adds. */
  readonly functions?: Readonly<Record<string, Func>>;
  readonly ports?: Ports;
  readonly limits?: Partial<Limits>;
  /** Parsed templates that are kept; 0 keeps none. */
  readonly cacheSize?: number;
}

/** Renders templates; parsed ones are kept, the least recently used is dropped first. */
export class Renderer {
  readonly #name: string;
  readonly #missingKey: MissingKey;
  readonly #functions: Readonly<Record<string, Func>>;
  readonly #ports: Ports;
  readonly #limits: Limits;
  readonly #cacheSize: number;
  readonly #cache = new Map<string, Template>();
  readonly #zones = new Map<string, Zone | undefined>();

  constructor(options: Options = {}) {
    this.#name = options.name ?? "template";
    this.#missingKey = options.missingKey ?? "default";
    this.#functions = { ...builtins, ...(options.sprig !== false && sprig), ...options.functions };
    this.#ports = options.ports ?? {};
    this.#limits = { ...defaultLimits, ...options.limits };
    this.#cacheSize = options.cacheSize ?? 500;
  }

  /** Renders a template with data: plain data or typed values. Throws TemplateError. */
  render(template: string, data: unknown, missingKey: MissingKey = this.#missingKey): string {
    const parsed = this.#parsed(template);
    const budget = new Budget(this.#limits, this.#ports.nowMs);
    const context = { budget, ports: this.#ports, zone: (name: string) => this.#zone(name) };
    const value = data === undefined || data === null ? undefined : wrap(data);
    return printable(execute(parsed, value, { functions: this.#functions, context, missingKey }));
  }

  /** Parses without rendering. Throws TemplateError. */
  check(template: string): void {
    this.#parsed(template);
  }

  /** What the template reads from its data, as far as its text tells. Throws TemplateError. */
  references(template: string): Reference[] {
    return references(this.#parsed(template));
  }

  #parsed(template: string): Template {
    const known = this.#cache.get(template);
    if (known !== undefined) {
      this.#cache.delete(template);
      this.#cache.set(template, known);
      return known;
    }
    const parsed = this.#parse(template);
    // A text near the output's limit is not worth its memory.
    if (template.length < 100_000) {
      this.#cache.set(template, parsed);
      const [oldest] = this.#cache.keys();
      if (this.#cache.size > this.#cacheSize && oldest !== undefined) this.#cache.delete(oldest);
    }
    return parsed;
  }

  #parse(template: string): Template {
    try {
      return parse(template.toWellFormed(), {
        name: this.#name,
        hasFunction: (name) => Object.hasOwn(this.#functions, name),
        maxDepth: this.#limits.maxDepth,
      });
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
      throw new TemplateError(`template: ${this.#name}: nested too deep`, {
        stage: "limit",
        template: this.#name,
      });
    }
  }

  /** A zone as time.LoadLocation finds it; a bounded number is kept. */
  #zone(name: string): Zone | undefined {
    if (name === "" || name === "UTC") return utc;
    if (this.#zones.has(name)) return this.#zones.get(name);
    const zone = this.#loadZone(name);
    if (this.#zones.size >= 100) this.#zones.clear();
    this.#zones.set(name, zone);
    return zone;
  }

  #loadZone(name: string): Zone | undefined {
    if (name === "Local") {
      const local = this.#ports.localZone ?? "UTC";
      const there = local === "Local" ? utc : (this.#zone(local) ?? utc);
      return { name: "Local", at: (seconds) => there.at(seconds) };
    }
    if (name.includes("..") || name.startsWith("/") || name.includes("\\")) return undefined;
    const file = this.#ports.zoneFile?.(name);
    if (file !== undefined) return compiledZone(name, file);
    return this.#ports.zoneFile === undefined ? builtInZone(name) : undefined;
  }
}
