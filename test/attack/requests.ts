import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { type DownloadRequest, kinds } from "../../src/api/index.ts";
import { Informer, resourceOf } from "../../src/kube/index.ts";
import { eventually } from "../harness/eventually.ts";
import { plantedBackup } from "../harness/planted-backup.ts";
import { type Attack, mustHold } from "./attack.ts";
import type { Stage } from "./stage.ts";
import { foreignBackup, logOf } from "./wires.ts";

const requests = resourceOf(kinds.DownloadRequest);

/** A server that nobody should ask, and one that sends everybody there. */
async function canary(): Promise<{ url: string; asked: string[]; redirect: string; close(): void }> {
  const asked: string[] = [];
  const servers = [
    createServer((request, response) => {
      asked.push(request.url ?? "");
      response.end("secret of an inner service");
    }),
    createServer((_request, response) => {
      response.writeHead(302, { location: url });
      response.end();
    }),
  ] as const;
  for (const server of servers) await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const [url = "", redirect = ""] = servers.map(
    (server) => `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
  ); // they listen on ports
  return { url, asked, redirect, close: () => servers.forEach((server) => server.close()) };
}

const patched: Attack = {
  kind: "SSRF",
  tried: "a DownloadRequest whose link is patched to an inner service while the server's page waits for it",
  async run(stage) {
    const inner = await canary();
    const stop = new AbortController();
    try {
      await stage.plant(plantedBackup("ssrf"));
      await eventually(
        () =>
          stage.get("Backup", "ssrf").then(
            () => true,
            () => false,
          ),
        Boolean,
        90_000,
      );
      const patching = patchAll(stage, inner.url, stop.signal);
      // The operator is held, so that nobody answers before the attacker does.
      stage.operator?.run.signal("SIGSTOP");
      const held = await logOf(stage, stage.pages?.serve, "ssrf").finally(() =>
        stage.operator?.run.signal("SIGCONT"),
      );
      const races: number[] = [];
      for (let i = 0; i < 5; i += 1) races.push((await logOf(stage, stage.pages?.operator, "ssrf")).status);
      stop.abort();
      const count = await patching;
      mustHold(count > 0, "no request was patched");
      const seen = `${count} requests patched, ${inner.asked.length} followed; the server said ${held.status} ${held.text.slice(0, 160)}; the operator ${races.join(" ")}`;
      mustHold(inner.asked.length === 0 && held.status >= 400, seen);
      return seen;
    } finally {
      stop.abort();
      inner.close();
    }
  },
};

/** Patches the link of each new DownloadRequest as soon as it is there; how many. */
async function patchAll(stage: Stage, downloadURL: string, signal: AbortSignal): Promise<number> {
  const expiration = new Date(Date.now() + 600_000).toISOString().replace(/\.\d+/, "");
  const body = { status: { phase: "Processed", downloadURL, expiration } };
  const patches = new Map<string, Promise<unknown>>();
  const informer = new Informer<DownloadRequest, string>({
    client: stage.client,
    resource: requests,
    query: { namespace: stage.namespace },
    project: ({ metadata }) => metadata.name,
    onChange: (key, name) => {
      if (name === undefined || patches.has(key)) return;
      patches.set(
        key,
        stage.patch(requests, name, body).catch(() => undefined),
      ); // collected meanwhile
    },
  });
  await informer.run(signal);
  await Promise.all(patches.values());
  return patches.size;
}

const redirected: Attack = {
  kind: "SSRF",
  tried: "a store that redirects the pages to an inner service",
  async run(stage) {
    const inner = await canary();
    try {
      await foreignBackup(stage, "redirects", inner.redirect);
      const answers: string[] = [];
      for (const page of [stage.pages?.operator, stage.pages?.serve]) {
        const { status, text } = await logOf(stage, page, "redirects");
        answers.push(`${status} ${text.slice(0, 140)}`);
        mustHold(status >= 400 && !text.includes("inner service"), answers.join());
      }
      mustHold(inner.asked.length === 0, `the inner service was asked for ${inner.asked.join()}`);
      return answers.join(", ");
    } finally {
      inner.close();
    }
  },
};

const unanswerable: Attack = {
  kind: "request without an answer",
  tried: 'DownloadRequests for "a/b", "..", "" and a backup that does not exist',
  async run(stage) {
    const names = ["a/b", "..", "", "../../etc", "nobody"];
    const told: string[] = [];
    for (const [i, name] of names.entries()) {
      const made = await stage
        .create<DownloadRequest>("DownloadRequest", `never-${i}`, {
          spec: { target: { kind: "BackupLog", name } },
        })
        .catch((error: unknown) => String(error));
      if (typeof made === "string") {
        told.push("refused by the schema");
        continue;
      }
      const { metadata, status } = await eventually(
        () => stage.get<DownloadRequest>("DownloadRequest", `never-${i}`),
        (one) => Boolean(one.status?.expiration),
        30_000,
      );
      mustHold(!status?.downloadURL, `"${name}" got the link ${status?.downloadURL}`);
      told.push(metadata.annotations?.["headway.dev/refused"] ?? "no reason");
    }
    return `each ends with a reason: ${told.join("; ")}`;
  },
};

/** Attacks by DownloadRequests. */
export const requestAttacks: readonly Attack[] = [patched, redirected, unanswerable];
