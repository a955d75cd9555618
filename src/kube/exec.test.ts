import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, expect, test } from "vitest";
import { WebSocketServer } from "ws";
import { connectTo } from "./client.ts";
import { readExit } from "./exec.ts";

const pods = { group: "", version: "v1", plural: "pods", kind: "Pod", namespaced: true };
const open: Server[] = [];
afterEach(() => {
  for (const server of open.splice(0)) {
    server.closeAllConnections();
    server.close();
  }
});

interface Script {
  readonly protocol?: string;
  /** What the server sends: channel and text, or "close". */
  readonly send?: readonly ([number, string] | "close")[];
  readonly refuse?: { readonly code: number; readonly body: string };
  readonly onStdin?: (text: string) => readonly ([number, string] | "close")[];
}

/** An API server that knows only exec. */
async function serve(script: Script) {
  const server = createServer((_request, response) => response.writeHead(404).end());
  open.push(server);
  const asked: string[] = [];
  const sockets = new WebSocketServer({
    noServer: true,
    handleProtocols: () => script.protocol ?? "v5.channel.k8s.io",
  });
  server.on("upgrade", (request, socket, head) => {
    asked.push(request.url ?? "");
    if (script.refuse) {
      const { code, body } = script.refuse;
      socket.end(`HTTP/1.1 ${code} No\r\nContent-Length: ${body.length}\r\nConnection: close\r\n\r\n${body}`);
      return;
    }
    sockets.handleUpgrade(request, socket, head, (ws) => {
      const play = (frames: readonly ([number, string] | "close")[]) => {
        for (const frame of frames) {
          if (frame === "close") ws.close();
          else ws.send(Buffer.concat([Buffer.from([frame[0]]), Buffer.from(frame[1])]));
        }
      };
      ws.on("error", () => undefined);
      ws.on("message", (data: Buffer) => {
        asked.push(`${data[0]}:${data.subarray(1).toString()}`);
        play(script.onStdin?.(`${data[0]}:${data.subarray(1).toString()}`) ?? []);
      });
      play(script.send ?? []);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return { client: connectTo({ server: `http://127.0.0.1:${port}`, token: "t" }, { retries: 0 }), asked };
}

const success = '{"status":"Success"}';
const exited = (code: string) =>
  JSON.stringify({
    status: "Failure",
    reason: "NonZeroExitCode",
    message: `exit code ${code}`,
    details: { causes: [{ reason: "ExitCode", message: code }] },
  });

test("exec() tells outputs apart and gives the exit code", async () => {
  const { client, asked } = await serve({
    send: [[1, ""], [1, "out"], [2, "err"], [1, "more"], [3, exited("3")], "close"],
  });
  const heard: string[] = [];
  const result = await client.exec(pods, "p", {
    namespace: "n",
    container: "c",
    command: ["sh", "-c", "exit 3"],
    onStdout: (chunk) => void heard.push(`1:${chunk.toString()}`),
    onStderr: (chunk) => void heard.push(`2:${chunk.toString()}`),
  });
  expect([result, heard]).toEqual([{ exitCode: 3 }, ["1:out", "2:err", "1:more"]]);
  expect(asked).toEqual([
    "/api/v1/namespaces/n/pods/p/exec?stdout=true&stderr=true&container=c&command=sh&command=-c&command=exit+3",
  ]);
});

test("exec() waits for a slow reader before it reports the end", async () => {
  const { client } = await serve({ send: [[1, "a"], [1, "b"], [3, success], "close"] });
  const heard: string[] = [];
  await client.exec(pods, "p", {
    namespace: "n",
    command: ["x"],
    onStdout: async (chunk) => {
      await new Promise((resolve) => setImmediate(resolve));
      heard.push(chunk.toString());
    },
  });
  expect(heard).toEqual(["a", "b"]);
});

test("exec() feeds the command and ends its input", async () => {
  const { client, asked } = await serve({
    onStdin: (text) => (text === "255:\0" ? [[3, success]] : []),
  });
  async function* stdin() {
    yield Buffer.from("one");
    yield Buffer.from("two");
  }
  const result = await client.exec(pods, "p", { namespace: "n", command: ["cat"], stdin: stdin() });
  expect(result).toEqual({ exitCode: 0 });
  expect(asked.slice(1)).toEqual(["0:one", "0:two", "255:\0"]);
});

test("exec() with the older protocol does not send what it does not know", async () => {
  const { client, asked } = await serve({
    protocol: "v4.channel.k8s.io",
    onStdin: () => [[3, success]],
  });
  async function* stdin() {
    yield Buffer.from("one");
  }
  await client.exec(pods, "p", { namespace: "n", command: ["cat"], stdin: stdin() });
  expect(asked.slice(1)).toEqual(["0:one"]);
});

test("exec() turns a refusal into an ApiError", async () => {
  const body = JSON.stringify({
    kind: "Status",
    code: 404,
    reason: "NotFound",
    message: 'pods "p" not found',
  });
  const { client } = await serve({ refuse: { code: 404, body } });
  await expect(client.exec(pods, "p", { namespace: "n", command: ["x"] })).rejects.toMatchObject({
    code: "KUBE_API",
    status: { code: 404, reason: "NotFound" },
  });
});

test("exec() says when the line broke before the end", async () => {
  const { client } = await serve({ send: [[1, "half"], "close"] });
  const run = client.exec(pods, "p", { namespace: "n", command: ["x"] });
  await expect(run).rejects.toMatchObject({ code: "KUBE_UNREACHABLE" });
});

test("exec() ends when its signal fires", async () => {
  const { client } = await serve({ send: [[1, "started"]] });
  const stop = new AbortController();
  const run = client.exec(
    pods,
    "p",
    { namespace: "n", command: ["sleep"], onStdout: () => stop.abort(new Error("enough")) },
    stop.signal,
  );
  await expect(run).rejects.toThrow("enough");
});

test("exec() throws what its reader throws", async () => {
  const { client } = await serve({
    send: [
      [1, "x"],
      [3, success],
    ],
  });
  const run = client.exec(pods, "p", {
    namespace: "n",
    command: ["x"],
    onStdout: () => Promise.reject(new Error("disk full")),
  });
  await expect(run).rejects.toThrow("disk full");
});

test("readExit() makes an error of what is no exit code", () => {
  const failure = JSON.stringify({
    status: "Failure",
    reason: "InternalError",
    message: "container not found",
  });
  expect(() => readExit(failure, "run")).toThrow("container not found");
});
