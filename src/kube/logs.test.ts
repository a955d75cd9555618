import type { ServerResponse } from "node:http";
import { expect, test } from "vitest";
import { listen } from "../../test/harness/listen.ts";
import { connectTo } from "./client.ts";

const pods = { group: "", version: "v1", plural: "pods", kind: "Pod", namespaced: true };

async function serve(answer: (response: ServerResponse) => void) {
  const asked: string[] = [];
  const { url } = await listen((request, response) => {
    asked.push(request.url ?? "");
    answer(response);
  });
  return { asked, client: connectTo({ server: url }, { retries: 0, timeoutMs: 50 }) };
}

test("logs() asks for the part that is wanted and hands on the bytes", async () => {
  const { client, asked } = await serve((response) => response.end("one\ntwo\n"));
  const query = {
    namespace: "n",
    container: "c",
    follow: true,
    sinceTime: "2026-01-01T00:00:00Z",
    tailLines: 5,
  };
  const chunks = await Array.fromAsync(client.logs(pods, "p", query));
  expect(Buffer.concat(chunks).toString()).toBe("one\ntwo\n");
  expect(asked).toEqual([
    "/api/v1/namespaces/n/pods/p/log?container=c&follow=true&sinceTime=2026-01-01T00%3A00%3A00Z&tailLines=5",
  ]);
});

test("logs() waits for a container that says nothing, and ends with its signal", async () => {
  const { client } = await serve(() => undefined);
  const reading = client.logs(pods, "p", { namespace: "n", follow: true }, AbortSignal.timeout(300));
  await expect(reading.next()).rejects.toThrow(/timeout|aborted/i);
});

test("logs() that are left early close their connection", async () => {
  const closed = Promise.withResolvers<void>();
  const { client } = await serve((response) => {
    response.on("close", closed.resolve);
    response.write("first\n");
  });
  for await (const chunk of client.logs(pods, "p", { namespace: "n", follow: true })) {
    expect(chunk.toString()).toBe("first\n");
    break;
  }
  await closed.promise;
});

test("logs() says that they were cut", async () => {
  const { client } = await serve((response) => response.write("half", () => response.destroy()));
  const all = Array.fromAsync(client.logs(pods, "p", { namespace: "n" }));
  await expect(all).rejects.toMatchObject({ code: "KUBE_UNREACHABLE" });
});
