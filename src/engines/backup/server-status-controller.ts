import { kinds, type ServerStatusRequest } from "../../api/index.ts";
import { type Outcome, resourceOf } from "../../kube/index.ts";
import { timestamp } from "./admission.ts";
import type { BackupDeps } from "./deps.ts";
import { eachObject } from "./each-object.ts";
import { ignoreNotFound } from "./tolerate.ts";

const requests = resourceOf(kinds.ServerStatusRequest);
const keptMs = 60_000;

/** Says which version serves, until the signal fires. */
export function startServerStatusController(deps: BackupDeps, signal: AbortSignal): Promise<void> {
  return eachObject<ServerStatusRequest>(
    deps,
    kinds.ServerStatusRequest,
    (request, _all, inner) => look(deps, request, inner),
    signal,
  );
}

async function look(deps: BackupDeps, request: ServerStatusRequest, signal: AbortSignal): Promise<Outcome> {
  const { client, namespace, clock, serverVersion } = deps;
  const { name } = request.metadata;
  if (request.status?.phase === "Processed") {
    const left = Date.parse(request.status.processedTimestamp ?? "") + keptMs - clock.now();
    if (left > 0) return { againAfterMs: left };
    await client.delete(requests, name, { namespace }, signal).catch(ignoreNotFound);
    return undefined;
  }
  const plugins = (await deps.listPlugins(signal)).map(({ name: plugin, kind }) => ({ name: plugin, kind }));
  const status = { phase: "Processed", processedTimestamp: timestamp(clock.now()), serverVersion, plugins };
  await client.patch(requests, name, { type: "merge", body: { status } }, { namespace }, signal);
  return { againAfterMs: keptMs };
}
