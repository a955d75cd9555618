import { copyFileSync, mkdtempSync } from "node:fs";
import { connect, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { connect as connectTls } from "node:tls";
import { Downloads } from "../../../src/operator/downloads.ts";
import { startWebhook } from "../../../src/operator/webhook.ts";
import { MemoryStore } from "../../../src/store/index.ts";
import { mutateText } from "../bytes.ts";
import { mutateJson } from "../json.ts";
import type { Random } from "../random.ts";
import { BrokenLaw, target } from "../target.ts";

const review = {
  apiVersion: "admission.k8s.io/v1",
  kind: "AdmissionReview",
  request: {
    uid: "u",
    kind: { kind: "Blueprint" },
    object: { actions: { a: { phases: [{ func: "Wait", name: "w", args: {} }] } } },
  },
};
const head = (line: string, more = "") =>
  `${line} HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n${more}\r\n`;

/** Bytes on a connection of their own; `@link` stands for a link that holds. */
export const httpWire = target<{ readonly door: "downloads" | "webhook"; readonly bytes: string }>({
  name: "http-wire",
  covers: "bytes on a socket: the operator's downloads and, through TLS, its admission webhook",
  make(random) {
    const door = random.oneIn(4) ? "webhook" : "downloads";
    const sample =
      door === "webhook"
        ? asked(random)
        : head(
            random.of([
              "GET @link",
              "GET /download?location=a&key=b&expires=1&signature=x",
              "HEAD /",
              "OPTIONS *",
            ]),
          );
    return {
      door,
      bytes: random.oneIn(4)
        ? sample
        : mutateText(random, sample, head("POST //a:b", "transfer-encoding: chunked\r\n")),
    };
  },
  async run({ door, bytes }) {
    const { ports, link, faults } = await doors();
    const text = await exchange(ports[door], bytes.replaceAll("@link", link), door === "webhook");
    const fault = faults.shift();
    if (fault !== undefined) throw new Error("the server was at fault", { cause: fault });
    if (text.startsWith("HTTP/1.1 5")) throw new BrokenLaw(text.slice(0, 200));
    return text.startsWith("HTTP/1.1 2");
  },
});

function asked(random: Random): string {
  const body = JSON.stringify(mutateJson(random, review));
  return head("POST /validate/v1alpha1/blueprint", `content-length: ${Buffer.byteLength(body)}\r\n`) + body;
}

let opened: ReturnType<typeof open> | undefined;
const doors = () => (opened ??= open());

async function open() {
  const faults: unknown[] = [];
  const { signal } = new AbortController();
  const store = new MemoryStore();
  await store.put("a", Buffer.from("log"));
  const downloads = new Downloads({
    listen: "127.0.0.1:0",
    openStore: async () => store,
    now: () => 1_000,
    onError: (error) => faults.push(error),
  });
  await downloads.listen(signal);
  const certificates = mkdtempSync(join(tmpdir(), "headway-fuzz-"));
  const testdata = join(import.meta.dirname, "../../../src/store/testdata");
  copyFileSync(join(testdata, "loopback.pem"), join(certificates, "tls.crt"));
  copyFileSync(join(testdata, "loopback.key"), join(certificates, "tls.key"));
  const onNews = (level: string, message: string) =>
    void (level === "warning" && faults.push(new Error(message)));
  const webhook = (await startWebhook({ certificates, listen: "127.0.0.1:0" }, onNews, signal)) ?? 0;
  const url = new URL(downloads.url("default", "a", 600) ?? "");
  return { ports: { downloads: Number(url.port), webhook }, link: url.pathname + url.search, faults };
}

/** Sends all, says that no more comes, and returns what came back. */
function exchange(port: number, bytes: string, tls: boolean): Promise<string> {
  return new Promise((resolve, reject) => {
    const where = { host: "127.0.0.1", port };
    const socket: Socket = tls ? connectTls({ ...where, rejectUnauthorized: false }) : connect(where);
    let text = "";
    // A server may wait for the rest of a body; a case must not.
    socket.setTimeout(500, () => socket.destroy());
    socket.on("data", (chunk: Buffer) => (text += chunk.toString("latin1")));
    socket.on("error", (error: NodeJS.ErrnoException) =>
      ["ECONNRESET", "EPIPE"].includes(error.code ?? "") ? resolve(text) : reject(error),
    );
    socket.on("close", () => resolve(text));
    socket.end(Buffer.from(bytes, "utf8"));
  });
}
