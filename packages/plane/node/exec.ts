import { type ChildProcess, spawn } from "node:child_process";
import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import { type WebSocket, WebSocketServer } from "ws";
import type { Api } from "../api.ts";
import { parsePath } from "../http/path.ts";
import { listAt, textAt } from "../object.ts";
import { type ApiError, badRequest, notFound } from "../status.ts";
import { enter, type Isolation } from "./container.ts";
import { quote } from "./mounts.ts";
import type { LocalNode } from "./node.ts";
import { killGroup } from "./processes.ts";

const protocols = ["v5.channel.k8s.io", "v4.channel.k8s.io"];
const server = new WebSocketServer({
  noServer: true,
  perMessageDeflate: false,
  handleProtocols: (offered) => protocols.find((p) => offered.has(p)) ?? false,
});
/** Output waits in the process's pipe while this much is on its way to the client. */
const backlogBytes = 1024 * 1024;

/** Takes over a connection that wants to run a command in a container; false when the path is something else. */
export function upgradeExec(
  api: Api,
  node: LocalNode | undefined,
  request: IncomingMessage,
  socket: Duplex,
  head: Buffer,
): boolean {
  const url = new URL(request.url ?? "/", "https://localhost");
  const path = parsePath(url.pathname);
  if (path?.plural !== "pods" || path.subresource !== "exec") return false;
  const pod = api.read("pods", path.namespace ?? "", path.name ?? "");
  const names = listAt(pod?.spec, "containers").map((c) => textAt(c, "name") ?? "");
  const container = url.searchParams.get("container") ?? names[0] ?? "";
  const running = pod && node?.worker(pod.metadata.uid ?? "")?.processOf(container);
  const argv = url.searchParams.getAll("command");
  if (!pod) return refuse(socket, notFound(api.resource("pods"), path.name ?? ""));
  if (!names.includes(container))
    return refuse(socket, badRequest(`container ${container} is not valid for pod ${path.name}`));
  if (!node || !running) return refuse(socket, badRequest(`container ${container} is not running`));
  if (argv.length === 0)
    return refuse(socket, badRequest("you must specify at least 1 command for the container"));
  const on = (name: string): boolean => ["true", "1"].includes(url.searchParams.get(name) ?? "");
  server.handleUpgrade(request, socket, head, (client) => {
    const child = run(client, argvFor(argv, on("tty"), running.pid, node.isolation), running.env, {
      stdin: on("stdin"),
      stdout: on("stdout"),
      stderr: on("stderr"),
    });
    node.attend(child);
    void running.done.then(() => kill(child));
  });
  return true;
}

/** An answer instead of the connection; true, because it was ours to answer. */
function refuse(socket: Duplex, error: ApiError): true {
  const body = JSON.stringify(error.status());
  const head = [
    `HTTP/1.1 ${error.code} ${error.reason}`,
    "content-type: application/json",
    "connection: close",
    `content-length: ${Buffer.byteLength(body)}`,
  ];
  socket.end(`${head.join("\r\n")}\r\n\r\n${body}`);
  return true;
}

/** A terminal comes from util-linux's `script`: Node has none of its own. */
function argvFor(
  argv: readonly string[],
  tty: boolean,
  pid: number,
  isolation: Isolation,
): readonly string[] {
  const inside = enter(pid, argv, isolation);
  return tty ? ["script", "-qefc", inside.map(quote).join(" "), "/dev/null"] : inside;
}

function run(
  client: WebSocket,
  argv: readonly string[],
  env: Readonly<Record<string, string>>,
  wants: { stdin: boolean; stdout: boolean; stderr: boolean },
): ChildProcess {
  const [command = "", ...args] = argv;
  const child = spawn(command, args, {
    detached: true,
    env: { ...env },
    stdio: [wants.stdin ? "pipe" : "ignore", "pipe", "pipe"],
  });
  pipeOut(client, child, 1, wants.stdout);
  pipeOut(client, child, 2, wants.stderr);
  // A command that does not read its input any more is not an error of the connection.
  child.stdin?.on("error", () => undefined);
  client.on("message", (data: Buffer) => {
    const [channel] = data;
    if (channel === 0) child.stdin?.write(data.subarray(1));
    // v5: 255 closes the channel named by the next byte
    else if (channel === 255 && data[1] === 0) child.stdin?.end();
  });
  let over = false;
  const finish = (status: object): void => {
    if (over) return;
    over = true;
    client.send(Buffer.concat([Buffer.from([3]), Buffer.from(JSON.stringify(status))]));
    client.close(1000);
  };
  child.on("error", (error) => finish(failure(error.message, 126)));
  child.on("close", (code, signal) =>
    finish(code === 0 ? success : failure(words(code, signal), code ?? 137)),
  );
  client.on("close", () => {
    kill(child);
    over = true;
  });
  client.on("error", () => client.terminate());
  return child;
}

function pipeOut(client: WebSocket, child: ChildProcess, channel: 1 | 2, wanted: boolean): void {
  const stream = channel === 1 ? child.stdout : child.stderr;
  stream?.on("data", (chunk: Buffer) => {
    if (!wanted || client.readyState !== client.OPEN) return;
    if (client.bufferedAmount > backlogBytes) stream.pause();
    client.send(Buffer.concat([Buffer.from([channel]), chunk]), () => stream.resume());
  });
}

/** Ends the command and what it started, unless it has ended. */
function kill({ pid, exitCode, signalCode }: ChildProcess): void {
  if (pid !== undefined && exitCode === null && signalCode === null) killGroup(pid, "SIGKILL");
}

const success = { metadata: {}, status: "Success" };

function words(code: number | null, signal: string | null): string {
  return `command terminated with non-zero exit code: ${code === null ? `signal ${signal}` : `exit status ${code}`}`;
}

function failure(message: string, code: number): object {
  return {
    metadata: {},
    status: "Failure",
    message,
    reason: "NonZeroExitCode",
    details: { causes: [{ reason: "ExitCode", message: String(code) }] },
  };
}
