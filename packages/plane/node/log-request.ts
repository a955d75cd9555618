import type { Api } from "../api.ts";
import { type Exchange, isOn, wholeNumber } from "../http/exchange.ts";
import type { ResourcePath } from "../http/path.ts";
import { type KubeObject, listAt, mapAt, numberAt, textAt } from "../object.ts";
import type { Resource } from "../resources.ts";
import { badRequest } from "../status.ts";
import { type LogLine, readLog } from "./log-file.ts";
import type { LocalNode } from "./node.ts";
import { logPath } from "./pod-worker.ts";

/** What may wait for a slow reader of a followed log. */
const backlogBytes = 16 * 1024 * 1024;

/** GET of a container's log. */
export async function sendLog(
  api: Api,
  x: Exchange,
  resource: Resource,
  path: ResourcePath,
  node: LocalNode | undefined,
): Promise<void> {
  const pod = api.get(resource, path.namespace ?? "", path.name ?? "");
  const container = containerOf(pod, x.url.searchParams.get("container") ?? undefined);
  const status = [
    ...listAt(pod.status, "containerStatuses"),
    ...listAt(pod.status, "initContainerStatuses"),
  ].find((s) => textAt(s, "name") === container);
  const name = pod.metadata.name;
  const waiting = mapAt(mapAt(status, "state"), "waiting");
  const restarts = numberAt(status, "restartCount") ?? 0;
  const previous = isOn(x, "previous");
  if (previous && restarts === 0)
    throw badRequest(`previous terminated container "${container}" in pod "${name}" not found`);
  if (!node || (!status && !previous) || (waiting["reason"] !== undefined && restarts === 0)) {
    const why = textAt(waiting, "reason") ?? "ContainerCreating";
    throw badRequest(`container "${container}" in pod "${name}" is waiting to start: ${why}`);
  }
  const uid = pod.metadata.uid ?? "";
  // While a crashed container waits for its next run, the newest log is that of the last run.
  const run = previous ? restarts - 1 : restarts;
  const file = logPath(node.podsDir, uid, container, run);
  const show = shower(isOn(x, "timestamps"));
  x.response.writeHead(200, { "content-type": "text/plain" });
  x.response.write(chosen(x, readLog(file)).map(show).join(""));
  const log = node.worker(uid)?.logs.get(container);
  if (!isOn(x, "follow") || previous || !log || log.ended) {
    x.response.end();
    return;
  }
  await new Promise<void>((done) => {
    const stop = log.follow((line) => {
      x.response.write(show(line));
      // A reader that does not keep up is cut off; it can ask again from where it was.
      if (x.response.writableLength > backlogBytes) x.response.destroy();
    });
    const timer = setInterval(() => log.ended && end(), 50);
    const end = (): void => {
      clearInterval(timer);
      stop();
      done();
    };
    x.signal.addEventListener("abort", end, { once: true });
  });
  x.response.end();
}

/** Lines as the kubelet prints them: the parts of a long one are joined, with the time of the first. */
function shower(withTimes: boolean): (line: LogLine) => string {
  const open = { stdout: false, stderr: false };
  return ({ time, stream, text, partial }) => {
    const head = withTimes && !open[stream] ? `${time} ` : "";
    open[stream] = partial;
    return `${head}${text}${partial ? "" : "\n"}`;
  };
}

function containerOf(pod: KubeObject, asked: string | undefined): string {
  const names = listAt(pod.spec, "containers").map((c) => textAt(c, "name") ?? "");
  const all = [...names, ...listAt(pod.spec, "initContainers").map((c) => textAt(c, "name") ?? "")];
  if (asked !== undefined && asked !== "") {
    if (!all.includes(asked))
      throw badRequest(`container ${asked} is not valid for pod ${pod.metadata.name}`);
    return asked;
  }
  if (names.length === 1) return names[0] ?? "";
  throw badRequest(
    `a container name must be specified for pod ${pod.metadata.name}, choose one of: [${names.join(" ")}]`,
  );
}

function chosen(x: Exchange, lines: readonly LogLine[]): LogLine[] {
  const seconds = wholeNumber(x, "sinceSeconds");
  const from =
    x.url.searchParams.get("sinceTime") ??
    (seconds === undefined ? "" : new Date(Date.now() - seconds * 1000).toISOString());
  const recent = lines.filter((line) => line.time >= from);
  const tail = wholeNumber(x, "tailLines");
  return tail === undefined ? recent : tail === 0 ? [] : recent.slice(-tail);
}
