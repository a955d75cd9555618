import { messageOf } from "../errors.ts";
import type { Operation } from "../progress/index.ts";
import type { Sink } from "./config.ts";
import { forms } from "./forms/registry.ts";
import type { Answer, Telling } from "./telling.ts";

/** How one receiver took the test; the name is empty for a fault of the configuration itself. */
export interface TestResult {
  readonly sink: string;
  readonly error?: string;
}

interface TestOptions {
  readonly send: (sink: Sink, telling: Telling) => Promise<Answer | undefined>;
  readonly now: () => number;
}

/** Sends one test to each receiver, in the form and on the way that events take. Filters are not asked. */
export async function testSinks(
  { send, now }: TestOptions,
  sinks: readonly Sink[],
  where: { readonly cluster: string | undefined; readonly namespace: string },
): Promise<readonly TestResult[]> {
  return Promise.all(
    sinks.map(async (sink) => {
      const atMs = now();
      const telling: Telling = {
        event: "test",
        operation: sample(sink.name, where.namespace, atMs),
        atMs,
        about: [],
        told: {},
        ...where,
      };
      try {
        const answer = await send(sink, telling);
        if (answer) forms[sink.type].accept?.(answer, telling);
        return { sink: sink.name };
      } catch (error) {
        return { sink: sink.name, error: messageOf(error) };
      }
    }),
  );
}

/** What no real operation can be taken for. */
function sample(sink: string, namespace: string, atMs: number): Operation {
  const second = 1_000;
  return {
    id: `test/${namespace}/${sink}`,
    ref: { apiVersion: "headway.dev/v1alpha1", kind: "Test", namespace, name: sink },
    kind: "test",
    title: `Test of the receiver ${sink}`,
    state: "completed",
    startedAt: atMs - second,
    finishedAt: atMs,
    warnings: 0,
    errors: 0,
    children: [],
  };
}
