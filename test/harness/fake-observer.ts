import type { Frame } from "../../src/observe/index.ts";
import type { Operation } from "../../src/progress/index.ts";

/** An operation for tests, a running backup unless told otherwise. */
export function anOperation(name: string, given: Partial<Operation> = {}): Operation {
  return {
    id: `backup/velero/${name}`,
    ref: { apiVersion: "velero.io/v1", kind: "Backup", namespace: "velero", name, uid: name },
    kind: "backup",
    title: `Backup ${name}`,
    state: "running",
    warnings: 0,
    errors: 0,
    children: [],
    ...given,
  };
}

/** Operations that change when a test says so. */
export class FakeObserver {
  readonly #operations = new Map<string, Operation>();
  readonly #listeners = new Set<(frame: Frame) => void>();

  set(operation: Operation): void {
    this.#operations.set(operation.id, operation);
    for (const listener of this.#listeners) listener({ id: operation.id, operation });
  }

  delete(id: string): void {
    this.#operations.delete(id);
    for (const listener of this.#listeners) listener({ id });
  }

  operations(): readonly Operation[] {
    return [...this.#operations.values()];
  }

  operation(id: string): Operation | undefined {
    return this.#operations.get(id);
  }

  tracked(): undefined {
    return undefined;
  }

  subscribe(listener: (frame: Frame) => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }
}
