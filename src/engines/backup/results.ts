import { findingPlace, type Result, Findings as Sentences } from "../../kinds/index.ts";

/** Where a warning or an error belongs. */
export interface Subject {
  readonly resource?: string;
  readonly namespace?: string | undefined;
  readonly name?: string;
}

/** Gathers what went wrong with a backup, in sentences that name the object. */
export class Findings {
  readonly #sentences = new Sentences();

  get count(): number {
    return this.#sentences.count;
  }

  add(subject: Subject, message: string, error?: string): void {
    const place = subject.resource === undefined ? "velero" : findingPlace(subject.namespace);
    this.#sentences.add(place, sentence(subject, message, error));
  }

  result(): Result {
    return this.#sentences.result();
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
