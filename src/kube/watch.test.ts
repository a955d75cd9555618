import type { ServerResponse } from "node:http";
import { expect, test } from "vitest";
import { listen } from "../../test/harness/listen.ts";
import { connectTo } from "./client.ts";
import type { WatchQuery } from "./watch.ts";

const things = { group: "x.dev", version: "v1", plural: "things", kind: "Thing", namespaced: true };
const line = (type: string, name: string, resourceVersion: string) =>
  `${JSON.stringify({ type, object: { apiVersion: "x.dev/v1", kind: "Thing", metadata: { name, resourceVersion } } })}\n`;

/** A server whose watch does what the script says; collects what the client is told. */
async function watch(
  script: (response: ServerResponse) => void,
  query: WatchQuery = {},
  signal?: AbortSignal,
) {
  const asked: string[] = [];
  const { url } = await listen((request, response) => {
    asked.push(request.url ?? "");
    script(response);
  });
  const client = connectTo({ server: url }, { retries: 0, timeoutMs: 200 });
  const told: string[] = [];
  const done = (async () => {
    for await (const event of client.watch(things, query, signal ?? new AbortController().signal)) {
      told.push(
        `${event.type} ${event.type === "BOOKMARK" ? "" : event.object.metadata.name}@${event.resourceVersion}`,
      );
    }
  })();
  return { asked, told, error: await done.then(() => undefined).catch((caught: unknown) => caught) };
}

test("watch() tells changes and bookmarks until the server ends it", async () => {
  const { asked, told, error } = await watch(
    (response) =>
      response.end(line("ADDED", "a", "1") + line("BOOKMARK", "", "5") + line("DELETED", "a", "6")),
    { namespace: "n", resourceVersion: "0", labelSelector: "a=b", timeoutSeconds: 30 },
  );
  expect([told, error]).toEqual([["ADDED a@1", "BOOKMARK @5", "DELETED a@6"], undefined]);
  expect(asked).toEqual([
    "/apis/x.dev/v1/namespaces/n/things?watch=true&allowWatchBookmarks=true&resourceVersion=0&timeoutSeconds=30&labelSelector=a%3Db",
  ]);
});

test("watch() throws the Status of an ERROR event", async () => {
  const status = { kind: "Status", code: 410, reason: "Expired", message: "too old resource version" };
  const { told, error } = await watch((response) =>
    response.end(line("ADDED", "a", "1") + JSON.stringify({ type: "ERROR", object: status })),
  );
  expect(told).toEqual(["ADDED a@1"]);
  expect(error).toMatchObject({ code: "KUBE_API", status: { code: 410, reason: "Expired" } });
});

test.each<[string, (response: ServerResponse) => void]>([
  [
    "within a line",
    (response) => response.end(line("ADDED", "a", "1") + line("ADDED", "b", "2").slice(0, 20)),
  ],
  ["by a reset", (response) => response.write(line("ADDED", "a", "1"), () => response.destroy())],
  ["by what is no event", (response) => response.end(`${line("ADDED", "a", "1")}null\n`)],
  ["by an object that is none", (response) => response.end(`${line("ADDED", "a", "1")}{"type":"ADDED"}\n`)],
  [
    "by an object without metadata",
    (response) => response.end(`${line("ADDED", "a", "1")}{"type":"BOOKMARK","object":{}}\n`),
  ],
])("watch() says that it was cut %s, after telling what was whole", async (_name, script) => {
  const { told, error } = await watch(script);
  expect(told).toEqual(["ADDED a@1"]);
  expect(error).toMatchObject({ code: "KUBE_UNREACHABLE" });
});

test("watch() ends when nothing was heard for too long, without an error", async () => {
  const { told, error } = await watch((response) => response.write(line("ADDED", "a", "1")), {
    quietMs: 100,
  });
  expect([told, error]).toEqual([["ADDED a@1"], undefined]);
});

test("watch() does not wait for ever for a server that does not even begin", async () => {
  const { error } = await watch(() => undefined);
  expect(error).toMatchObject({ code: "KUBE_UNREACHABLE" });
});

test("watch() ends with the reason of its signal", async () => {
  const stop = new AbortController();
  const { error } = await watch(
    (response) => response.write(line("ADDED", "a", "1"), () => stop.abort(new Error("enough"))),
    {},
    stop.signal,
  );
  expect(String(error)).toContain("enough");
});
