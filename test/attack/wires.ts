import { connect } from "node:net";
import { brokenStore } from "../harness/broken-store.ts";
import { eventually } from "../harness/eventually.ts";
import { oddRequests, rawHttp } from "../harness/raw-http.ts";
import { type Attack, Broken, mustHold } from "./attack.ts";
import type { Page, Stage } from "./stage.ts";

const portOf = (page: Page | undefined) => Number(new URL(page?.url ?? "").port);

/** Every door of the running programs. */
const doors = {
  "the operator's page": (stage: Stage) => ({ port: portOf(stage.pages?.operator), tls: false }),
  "the operator's downloads": (stage: Stage) => ({ port: stage.ports.downloads, tls: false }),
  "the operator's webhook": (stage: Stage) => ({ port: stage.ports.webhook, tls: true }),
  "the server's page": (stage: Stage) => ({ port: portOf(stage.pages?.serve), tls: false }),
};

const malformed = Object.entries(doors).map(
  ([title, door]): Attack => ({
    kind: "malformed HTTP",
    tried: `${oddRequests.length} requests that are none to ${title}`,
    async run(stage) {
      const { port, tls } = door(stage);
      const answers: string[] = [];
      for (const [name, bytes] of oddRequests) {
        const answer = await rawHttp(port, bytes, { tls });
        const [, status] = /^HTTP\/1\.1 (200|4\d\d) /.exec(answer) ?? [];
        mustHold(status !== undefined, `${name}: ${answer.slice(0, 80)}`);
        answers.push(status ?? "");
      }
      return `answers ${answers.join(" ")}`;
    },
  }),
);

const escapes: Attack = {
  kind: "malformed HTTP",
  tried: "paths with bad escapes to both pages, before the token is looked at",
  async run(stage) {
    const found: number[] = [];
    for (const page of [stage.pages?.operator, stage.pages?.serve]) {
      for (const path of ["/api/%zz", "/api/operations/%/%/%", "/api/objects/%c0%af/x"]) {
        const answer = await fetch(`${page?.url}${path}`);
        await answer.arrayBuffer();
        found.push(answer.status);
      }
    }
    mustHold(
      found.every((status) => status >= 400 && status < 500),
      `answers ${found.join(" ")}`,
    );
    return `answers ${found.join(" ")}`;
  },
};

/** Sends a body without end until it is cut off; how many bytes went out, and the beginning of the answer. */
function flood(port: number, head: string, limitBytes: number): Promise<{ sent: number; answer: string }> {
  return new Promise((resolve) => {
    const socket = connect({ host: "127.0.0.1", port });
    const chunk = Buffer.alloc(1 << 20, "x");
    let [sent, answer] = [0, ""];
    const over = () => {
      socket.destroy();
      resolve({ sent, answer: answer.split("\r\n")[0] ?? "" });
    };
    const send = () => {
      while (sent < limitBytes) {
        sent += chunk.length;
        if (!socket.write(chunk)) return;
      }
      over();
    };
    socket.on("connect", () => {
      socket.write(head);
      send();
    });
    socket.on("drain", send);
    socket.on("data", (bytes: Buffer) => (answer += bytes.toString("latin1")));
    socket.on("error", over);
    socket.on("close", over);
  });
}

const floods = (
  [
    ["operator", "with a token"],
    ["operator", "without a token"],
    ["serve", "with a token"],
    ["serve", "without a token"],
  ] as const
).map(
  ([which, how]): Attack => ({
    kind: "big body",
    tried: `600 MiB to ${which === "serve" ? "the server's" : "the operator's"} page, ${how}`,
    async run(stage) {
      const [page, program] = [stage.pages?.[which], stage[which]];
      if (!page || !program) throw new Error("there is no page");
      program.resetPeak();
      const before = program.peakMiB();
      const bytes = 600 * 1024 ** 2;
      const token = how === "with a token" ? `authorization: Bearer ${page.token}\r\n` : "";
      const head = `POST /api/objects/Backup/${stage.namespace} HTTP/1.1\r\nhost: localhost\r\n${token}content-type: application/json\r\n`;
      // With a length that says so, and in chunks whose length nobody knows: one chunk of 600 MiB.
      const said = await flood(portOf(page), `${head}content-length: ${bytes}\r\n\r\n`, bytes);
      const chunked = await flood(
        portOf(page),
        `${head}transfer-encoding: chunked\r\n\r\n${bytes.toString(16)}\r\n`,
        bytes,
      );
      const grown = program.peakMiB() - before;
      const seen = `${[said, chunked].map(({ sent, answer }) => `cut off after ${sent >> 20} MiB (${answer || "no answer"})`).join(", ")}; +${grown} MiB of memory`;
      mustHold(grown < 200, seen);
      mustHold(
        [said, chunked].every(({ answer }) => !/ 2\d\d /.test(answer)),
        seen,
      );
      return seen;
    },
  }),
);

/** A location at an S3 server of the attacker's, with a finished backup in it. */
async function foreignBackup(stage: Stage, name: string, s3Url: string): Promise<void> {
  await stage.create("BackupStorageLocation", name, {
    spec: {
      provider: "aws",
      objectStorage: { bucket: "backups" },
      config: { s3Url, region: "us-east-1", s3ForcePathStyle: "true" },
      credential: { name: "default", key: "cloud" },
    },
  });
  await stage.create("Backup", name, { spec: { storageLocation: name }, status: { phase: "Completed" } });
}

/** Asks a page for the log of a backup, once the page knows it. */
async function logOf(stage: Stage, page: Page | undefined, name: string) {
  if (!page) throw new Broken("there is no page");
  const path = `/api/operations/${stage.namespace}/backup/${name}`;
  await eventually(
    async () => (await stage.ask(page, path)).status,
    (status) => status === 200,
    60_000,
  );
  return stage.ask(page, `${path}/log`);
}

const breaks: Attack = {
  kind: "store that breaks",
  tried: "a store that cuts each connection after a megabyte: logs on both pages and on the command line",
  async run(stage) {
    const store = await brokenStore();
    try {
      await foreignBackup(stage, "cut", store.url);
      const answers: string[] = [];
      for (const page of [stage.pages?.operator, stage.pages?.serve]) {
        const { status, text } = await logOf(stage, page, "cut");
        mustHold(status === 502 && text.includes("the connection broke"), `${status} ${text}`);
        answers.push(String(status));
      }
      const { code, said } = await stage.headway(["backup", "logs", "cut"]);
      mustHold(
        code === 1 && said.includes("the connection broke") && !/\n\s+at /.test(said),
        `the command ended ${code}: ${said.slice(-200)}`,
      );
      return `pages answered ${answers.join(" and ")}, the command ended 1 with a sentence`;
    } finally {
      store.close();
    }
  },
};

/** Attacks on listeners and connections. */
export const wireAttacks: readonly Attack[] = [...malformed, escapes, ...floods, breaks];
export { foreignBackup, logOf };
