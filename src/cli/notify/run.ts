import { randomUUID } from "node:crypto";
import { isRecord, type KubeObject, parseGoDurationMs } from "../../api/index.ts";
import { AppError } from "../../errors.ts";
import { builtIn, type Client, isNotFound, sleep, systemClock } from "../../kube/index.ts";
import { configName, recordName, testAnnotation } from "../../notify/index.ts";
import { withCluster } from "../cluster.ts";
import { type Input, text } from "../command.ts";
import type { Io } from "../io.ts";
import { table } from "../render/table.ts";
import { type Health, readStatus, readTest } from "./answers.ts";

type Stored = KubeObject & { readonly data?: Readonly<Record<string, string>> };

const askEveryMs = 500;

/** Asks the operator for a test and tells how each receiver took it. */
export async function testNotifications(input: Input, io: Io, signal: AbortSignal): Promise<number> {
  return withCluster(input, io, async ({ client, namespace }) => {
    const limitMs = limitOf(input);
    const id = `${input.args[0] ?? ""}/${randomUUID()}`;
    const body = { metadata: { annotations: { [testAnnotation]: id } } };
    await client
      .patch(builtIn.configMaps, configName, { type: "merge", body }, { namespace }, signal)
      .catch((error: unknown) => {
        throw isNotFound(error) ? notConfigured(namespace) : error;
      });
    io.err("waiting for the operator to send it\n");
    const results = await answered(client, namespace, { id, limitMs }, signal);
    if (results.length === 0) {
      const what = input.args[0] === undefined ? "no receivers" : `no receiver "${input.args[0]}"`;
      throw new AppError("NOTIFY_CONFIG", `there are ${what} in the ConfigMap "${configName}"`, {
        retry: false,
      });
    }
    for (const { sink, error } of results) {
      const name = sink === "" ? configName : sink;
      if (error === undefined) io.out(`${name}: told\n`);
      else io.err(`${name}: ${error}\n`);
    }
    return results.some(({ error }) => error !== undefined) ? 1 : 0;
  });
}

/** The operator reads its configuration every ten seconds, and gives a receiver ten. */
function limitOf(input: Input): number {
  const given = text(input, "timeout") ?? "1m";
  const ms = parseGoDurationMs(given);
  if (ms !== undefined && ms > 0) return ms;
  throw new AppError("USAGE", `--timeout takes a duration such as 1m, not "${given}"`, { retry: false });
}

async function answered(
  client: Pick<Client, "get">,
  namespace: string,
  { id, limitMs }: { readonly id: string; readonly limitMs: number },
  signal: AbortSignal,
) {
  const end = systemClock.monotonic() + limitMs;
  while (systemClock.monotonic() < end) {
    const { data } = (await read(client, recordName, namespace, signal)) ?? {};
    const found = readTest(data?.["test"]);
    if (found?.id === id) return found.results;
    await sleep(systemClock, askEveryMs, signal);
  }
  const why = `no operator of the namespace "${namespace}" sent the test within ${limitMs / 1000} s`;
  throw new AppError("NOTIFY_NO_ANSWER", why);
}

/** Lists the receivers, as the operator last wrote about them. */
export async function getNotifications(input: Input, io: Io, signal: AbortSignal): Promise<void> {
  await withCluster(input, io, async ({ client, namespace }) => {
    const config = await read(client, configName, namespace, signal);
    if (!config) throw notConfigured(namespace);
    const { data } = (await read(client, recordName, namespace, signal)) ?? {};
    const { faults, sinks } = readStatus(data?.["status"]);
    if (text(input, "output") === "json") return io.out(`${JSON.stringify({ faults, sinks }, null, 2)}\n`);
    const rows = Object.entries(sinks).map(([name, health]) => rowOf(name, health));
    io.out(table(["NAME", "SENT", "DROPPED", "LAST", "ERROR"], rows, { columns: io.terminal?.columns }));
    for (const fault of faults) io.err(`${configName}: ${fault}\n`);
  });
}

function rowOf(name: string, { sent, dropped, sentAt, error }: Health): readonly string[] {
  const last = sentAt === undefined ? "never" : new Date(sentAt).toISOString().slice(0, 19).replace("T", " ");
  return [name, String(sent), String(dropped), last, error ?? ""];
}

function notConfigured(namespace: string): AppError {
  const why = `there is no ConfigMap "${configName}" in the namespace "${namespace}": nobody is told of anything`;
  return new AppError("NOTIFY_CONFIG", why, { retry: false });
}

async function read(
  client: Pick<Client, "get">,
  name: string,
  namespace: string,
  signal: AbortSignal,
): Promise<Stored | undefined> {
  try {
    const found = await client.get<Stored>(builtIn.configMaps, name, { namespace }, signal);
    return isRecord(found) ? found : undefined;
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}
