import { randomBytes } from "node:crypto";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { gzipSync } from "node:zlib";
import { afterEach, expect, test } from "vitest";
import type { PageClient } from "./caller.ts";
import { readLeftBehind, readRemarks } from "./left-behind.ts";

const open: (() => void)[] = [];
afterEach(() => {
  for (const close of open.splice(0)) close();
});

/** A cluster whose operator answers every request with a link, and the server behind the link. */
async function linking(body: Buffer | undefined, cutAt?: number) {
  const server = createServer((_request, response) => {
    if (body && cutAt !== undefined) {
      response.writeHead(200, { "content-length": body.length });
      response.write(body.subarray(0, cutAt), () => response.destroy());
    } else if (body) response.end(body);
    else response.writeHead(404).end();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  open.push(() => void (server.closeAllConnections(), server.close()));
  const { port } = server.address() as AddressInfo; // it listens on a port
  const asked: unknown[] = [];
  const client = {
    create: async (_resource: unknown, object: { readonly spec: unknown }) => {
      asked.push(object.spec);
      return { metadata: { name: "r", resourceVersion: "1" } };
    },
    async *watch() {
      yield {
        type: "MODIFIED",
        object: {
          status: {
            downloadURL: `http://127.0.0.1:${port}/download?location=default&key=k&expires=1&signature=s`,
          },
        },
      };
    },
  } as unknown as PageClient; // the two methods that ask for a file
  return { client, asked };
}

const ref = { apiVersion: "velero.io/v1", kind: "Backup", namespace: "velero", name: "b" };
const { signal } = new AbortController();
/** Backups are in a location whose links the operator of this very process serves. */
const check = {
  client: {
    get: async () => ({
      metadata: { name: "default" },
      spec: { backupName: "b", storageLocation: "default" },
    }),
  } as unknown as PageClient, // what finds the location of a backup
};

test.each([
  ["Backup", "log", "BackupLog"],
  ["Backup", "results", "BackupResults"],
  ["Restore", "log", "RestoreLog"],
  ["Restore", "results", "RestoreResults"],
] as const)("readLeftBehind() reads the %s's %s", async (kind, what, target) => {
  const { client, asked } = await linking(gzipSync("words\n"));
  expect(await readLeftBehind(client, { ...ref, kind }, what, check, signal)).toBe("words\n");
  expect(asked).toEqual([{ target: { kind: target, name: "b" } }]);
});

test("readLeftBehind() knows what keeps no file, and what has none yet", async () => {
  const { client, asked } = await linking(undefined);
  const action = { ...ref, apiVersion: "cr.kanister.io/v1alpha1", kind: "ActionSet" };
  expect(await readLeftBehind(client, action, "log", check, signal)).toBeUndefined();
  expect(asked).toEqual([]);
  expect(await readLeftBehind(client, ref, "log", check, signal)).toBeUndefined();
});

test("readLeftBehind() keeps the end of a long log, and refuses results that no page can show", async () => {
  const { client } = await linking(gzipSync(`${"x".repeat(3_000_000)}the end`));
  const log = (await readLeftBehind(client, ref, "log", check, signal)) ?? "";
  expect(log.length).toBe(1_000_000);
  expect(log.endsWith("xthe end")).toBe(true);
  await expect(readLeftBehind(client, ref, "results", check, signal)).rejects.toMatchObject({
    code: "DOWNLOAD_FAILED",
  });
});

test("readLeftBehind() tells a wire that breaks in the middle of a log as such", async () => {
  const { client } = await linking(gzipSync(randomBytes(2_000_000)), 1_000_000);
  await expect(readLeftBehind(client, ref, "log", check, signal)).rejects.toMatchObject({
    code: "DOWNLOAD_FAILED",
    message: expect.stringMatching(/BackupLog of "b": the connection broke after \d+ bytes/),
  });
});

test.each([
  [
    'resource: /pods name: /web-0 message: /pre hook "freeze" failed error: /the command ended with exit code 3',
    { object: "pods web-0", text: 'pre hook "freeze" failed: the command ended with exit code 3' },
  ],
  [" resource: /pods name: /web-0 error: /odd message: /m error: /e", { text: undefined }],
  ["message: /1 item is left out", { text: "1 item is left out" }],
  ["name: /shop message: /over\ntwo lines error: /e", { object: "shop", text: "over\ntwo lines: e" }],
  ['Pod "web" exists already', { text: 'Pod "web" exists already' }],
] as const)("readRemarks() reads %j as Velero means it", (line, { text, ...rest }) => {
  const { errors } = readRemarks(JSON.stringify({ errors: { namespaces: { shop: [line] } } }));
  expect(errors).toEqual([{ where: "shop", ...rest, text: text ?? line }]);
});

test("readRemarks() takes what it knows, counts what is too much, and passes over the rest", () => {
  const velero = Array.from({ length: 230 }, (_, i) => `error ${i}`);
  const { errors, warnings, more } = readRemarks(
    JSON.stringify({ errors: { velero }, warnings: null, odd: 1 }),
  );
  expect([errors.length, warnings.length, more]).toEqual([200, 0, 30]);
  expect(readRemarks("[]")).toEqual({ errors: [], warnings: [], more: 0 });
});

test("readRemarks() says that a file is no JSON, and shows what is no text as it stands", () => {
  expect(() => readRemarks("resource: /pods")).toThrow(expect.objectContaining({ code: "DOWNLOAD_FAILED" }));
  const odd = { toString: 1 };
  expect(readRemarks(JSON.stringify({ errors: { velero: [odd] } })).errors).toEqual([
    { where: "server", text: '{"toString":1}' },
  ]);
});
