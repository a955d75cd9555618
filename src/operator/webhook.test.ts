import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { request } from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { selfSigned } from "../../packages/wire/certificate.ts";
import { oddRequests, rawHttp } from "../../test/harness/raw-http.ts";
import { startWebhook } from "./webhook.ts";

const folder = mkdtempSync(join(tmpdir(), "webhook-"));
const { cert, key } = selfSigned("webhook", Date.now());
const stop = new AbortController();
let port = 0;
beforeAll(async () => {
  writeFileSync(join(folder, "tls.crt"), cert);
  writeFileSync(join(folder, "tls.key"), key);
  port =
    (await startWebhook({ certificates: folder, listen: "127.0.0.1:0" }, () => undefined, stop.signal)) ?? 0;
});
afterAll(() => {
  stop.abort();
  rmSync(folder, { recursive: true });
});

function post(path: string, body: string): Promise<{ code: number; text: string }> {
  return new Promise((resolve, reject) => {
    const sent = request(
      { host: "127.0.0.1", port, path, method: "POST", ca: cert, servername: "localhost" },
      (answer) => {
        let text = "";
        answer.on("data", (chunk: Buffer) => (text += chunk.toString()));
        answer.on("end", () => resolve({ code: answer.statusCode ?? 0, text }));
      },
    );
    sent.on("error", reject);
    sent.end(body);
  });
}

test("the webhook answers reviews over TLS", async () => {
  const object = { actions: { a: { phases: [{ func: "Nope", name: "p" }] } } };
  const review = {
    apiVersion: "admission.k8s.io/v1",
    request: { uid: "1", kind: { kind: "Blueprint" }, object },
  };
  const { code, text } = await post("/validate/v1alpha1/blueprint", JSON.stringify(review));
  expect(code).toBe(200);
  expect(JSON.parse(text)).toMatchObject({ kind: "AdmissionReview", response: { uid: "1", allowed: false } });
});

test("the webhook refuses other paths and what is no review", async () => {
  expect((await post("/other", "{}")).code).toBe(404);
  expect((await post("/validate/v1alpha1/actionset", "{")).code).toBe(400);
});

test.each(oddRequests)("the webhook answers %s, and goes on", async (_name, bytes) => {
  expect(await rawHttp(port, bytes, { tls: true })).toMatch(/^HTTP\/1\.1 4\d\d /);
  expect((await post("/other", "{}")).code).toBe(404);
});

test("the webhook measures a body before it reads it", async () => {
  const head =
    "POST /validate/v1alpha1/blueprint HTTP/1.1\r\nhost: localhost\r\ncontent-length: 900000000\r\n\r\n";
  expect(await rawHttp(port, head, { tls: true })).toMatch(/^HTTP\/1\.1 413 /);
});

test("a webhook without a certificate waits for it, says so, and serves once it is there", async () => {
  const later = join(folder, "later");
  mkdirSync(later);
  const news: string[] = [];
  const options = { certificates: later, listen: "127.0.0.1:0", lookMs: 10 };
  const listening = await startWebhook(options, (_level, message) => void news.push(message), stop.signal);
  expect(listening).toBeUndefined();
  expect(news).toEqual([`the webhook waits for tls.crt and tls.key in "${later}"`]);
  writeFileSync(join(later, "tls.key"), key);
  writeFileSync(join(later, "tls.crt"), cert);
  await expect.poll(() => news.at(-1), { timeout: 30_000 }).toMatch(/are reviewed on port \d+/);
});

test("a webhook that cannot listen fails", async () => {
  const options = { certificates: folder, listen: `127.0.0.1:${port}` };
  await expect(startWebhook(options, () => undefined, stop.signal)).rejects.toMatchObject({
    code: "OPERATOR_FAILED",
  });
});
