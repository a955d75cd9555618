import { AppError } from "../../errors.ts";
import { builtIn, type Clock, type Resource, sleep } from "../../kube/index.ts";
import type { Item } from "./archive/item-json.ts";
import { patiently } from "./patience.ts";
import { hasCondition } from "./put.ts";
import type { RunLog } from "./run-log.ts";
import type { Cluster, Served } from "./served.ts";

const resource: Resource = builtIn.definitions;
const pollMs = 200;

/** Waits until the API server serves the definitions that were just created, then asks it anew what it serves. */
export async function establish(
  definitions: readonly Item[],
  context: { cluster: Cluster; clock: Clock; served: Served; log: RunLog; resourceTimeoutMs: number },
  signal: AbortSignal,
): Promise<void> {
  const { cluster, clock, served, log } = context;
  const until = clock.monotonic() + context.resourceTimeoutMs;
  for (const { metadata } of definitions) {
    try {
      await established(metadata.name, until);
    } catch (error) {
      signal.throwIfAborted();
      log.fail("cluster", error instanceof Error ? error.message : String(error));
    }
  }
  served.take(await patiently(() => cluster.discover(signal), clock, signal));

  async function established(name: string, untilMs: number): Promise<void> {
    for (;;) {
      const now = await patiently(() => cluster.get<Item>(resource, name, {}, signal), clock, signal);
      if (hasCondition(now, "Established") && hasCondition(now, "NamesAccepted")) return;
      if (clock.monotonic() >= untilMs) {
        throw new AppError(
          "DEFINITION_NOT_READY",
          `wait for CustomResourceDefinition "${name}": it is not established`,
        );
      }
      await sleep(clock, pollMs, signal);
    }
  }
}
