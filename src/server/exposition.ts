import type { Family } from "./families.ts";

/** A number with its labels. */
export interface Sample {
  readonly labels?: Readonly<Record<string, string>>;
  readonly value: number;
}

/** One metric family in Prometheus' text format; no samples, no text. */
export function family({ name, type, help }: Family, samples: Iterable<Sample>): string {
  const lines = [...samples].map(({ labels, value }) => `${name}${labelText(labels)} ${numberText(value)}`);
  return lines.length === 0 ? "" : `${head(name, type, help)}${lines.join("\n")}\n`;
}

/** Numbers by labels, under the same key in the same order; the number of label sets is the caller's to bound. */
export class Series {
  readonly #family: Family;
  readonly #values = new Map<string, Sample>();

  constructor(of: Family) {
    this.#family = of;
  }

  /** Adds to a number, which is zero before. */
  add(labels: Readonly<Record<string, string>>, amount = 1): void {
    this.set(labels, (this.#values.get(JSON.stringify(labels))?.value ?? 0) + amount);
  }

  set(labels: Readonly<Record<string, string>>, value: number): void {
    this.#values.set(JSON.stringify(labels), { labels, value });
  }

  /** Forgets the numbers whose label has this value. */
  forget(label: string, value: string): void {
    for (const [key, { labels }] of this.#values) if (labels?.[label] === value) this.#values.delete(key);
  }

  /** How many label sets there are. */
  get size(): number {
    return this.#values.size;
  }

  text(): string {
    return family(this.#family, this.#values.values());
  }
}

/** Counts observations in buckets, by labels. The number of label sets is the caller's to bound. */
export class Histogram {
  readonly #family: Family;
  readonly #bounds: readonly number[];
  readonly #series = new Map<
    string,
    { readonly labels: Readonly<Record<string, string>>; readonly counts: number[]; sum: number }
  >();

  constructor(of: Family) {
    this.#family = of;
    this.#bounds = of.buckets ?? [];
  }

  observe(labels: Readonly<Record<string, string>>, value: number): void {
    const key = JSON.stringify(labels);
    const series = this.#series.get(key) ?? { labels, counts: this.#bounds.map(() => 0).concat(0), sum: 0 };
    this.#series.set(key, series);
    const found = this.#bounds.findIndex((bound) => value <= bound);
    const at = found < 0 ? this.#bounds.length : found;
    series.counts[at] = (series.counts[at] ?? 0) + 1;
    series.sum += value;
  }

  /** Forgets what was counted where the label has this value. */
  forget(label: string, value: string): void {
    for (const [key, { labels }] of this.#series) if (labels[label] === value) this.#series.delete(key);
  }

  text(): string {
    if (this.#series.size === 0) return "";
    const { name, type, help } = this.#family;
    let text = head(name, type, help);
    for (const { labels, counts, sum } of this.#series.values()) {
      let below = 0;
      counts.forEach((count, i) => {
        below += count;
        const le = i < this.#bounds.length ? numberText(this.#bounds[i] ?? 0) : "+Inf";
        text += `${name}_bucket${labelText({ ...labels, le })} ${below}\n`;
      });
      text += `${name}_sum${labelText(labels)} ${numberText(sum)}\n`;
      text += `${name}_count${labelText(labels)} ${below}\n`;
    }
    return text;
  }
}

function head(name: string, type: string, help: string): string {
  return `# HELP ${name} ${help.replaceAll("\\", "\\\\").replaceAll("\n", "\\n")}\n# TYPE ${name} ${type}\n`;
}

function labelText(labels: Readonly<Record<string, string>> = {}): string {
  const pairs = Object.entries(labels).map(([name, value]) => {
    const safe = value.replaceAll("\\", "\\\\").replaceAll('"', '\\"').replaceAll("\n", "\\n");
    return `${name}="${safe}"`;
  });
  return pairs.length === 0 ? "" : `{${pairs.join(",")}}`;
}

function numberText(value: number): string {
  if (Number.isNaN(value)) return "NaN";
  return Number.isFinite(value) ? String(value) : value > 0 ? "+Inf" : "-Inf";
}
