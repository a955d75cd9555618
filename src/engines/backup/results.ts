/** Where a warning or an error belongs. */
export interface Subject {
  readonly resource?: string;
  readonly namespace?: string | undefined;
  readonly name?: string;
}

/** One side of a results file; empty parts are left out, as upstream does. */
export interface Result {
  readonly velero?: readonly string[];
  readonly cluster?: readonly string[];
  readonly namespaces?: Readonly<Record<string, readonly string[]>>;
}

/** At most this many sentences are kept for each side; the counts go on. Bounds memory on a cluster that refuses everything. */
const limit = 1000;

/** Gathers what went wrong. Counts are exact, texts are bounded. */
export class Findings {
  #count = 0;
  #dropped = 0;
  readonly #velero: string[] = [];
  readonly #cluster: string[] = [];
  readonly #namespaces = new Map<string, string[]>();

  get count(): number {
    return this.#count;
  }

  add(subject: Subject, message: string, error?: string): void {
    this.#count += 1;
    if (this.#count - this.#dropped > limit) {
      this.#dropped += 1;
      return;
    }
    const text = sentence(subject, message, error);
    if (subject.resource === undefined) this.#velero.push(text);
    else if (subject.namespace === undefined) this.#cluster.push(text);
    else {
      const list = this.#namespaces.get(subject.namespace) ?? [];
      list.push(text);
      this.#namespaces.set(subject.namespace, list);
    }
  }

  result(): Result {
    const velero = [...this.#velero];
    if (this.#dropped > 0) velero.push(`and ${this.#dropped} more, see the log`);
    return {
      ...(velero.length > 0 && { velero }),
      ...(this.#cluster.length > 0 && { cluster: [...this.#cluster] }),
      ...(this.#namespaces.size > 0 && { namespaces: Object.fromEntries(this.#namespaces) }),
    };
  }
}

/** The shape upstream's readers expect: `resource: /pods name: /web message: /… error: /…`. */
function sentence({ resource, name }: Subject, message: string, error: string | undefined): string {
  return [
    ...(resource === undefined ? [] : [`resource: /${resource}`]),
    ...(name === undefined ? [] : [`name: /${name}`]),
    `message: /${message}`,
    ...(error === undefined ? [] : [`error: /${error}`]),
  ].join(" ");
}
