import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { selfSigned } from "../../../packages/wire/index.ts";
import {
  defaultPassword,
  makeMover,
  type Place,
  repositoryPlace,
  volumeSource,
} from "../../../src/movers/index.ts";
import { type LocationSpec, openStore } from "../../../src/store/index.ts";
import { missingAzure, startAzure } from "../../harness/azure.ts";
import { type CloudFront, startCloudFront } from "../../harness/cloud-front.ts";
import { missingGcs, startGcs } from "../../harness/gcs.ts";
import { type MoverSubject, moverSubject } from "../../harness/mover-subjects.ts";

// The real programs believe that they talk to Azure and to Google: a proxy leads them to the emulators, whose certificate the place brings.

interface Cloud {
  readonly name: string;
  readonly skip: string | undefined;
  readonly host: string;
  start(
    tls: { readonly cert: string; readonly key: string },
    caCert: string,
  ): Promise<{ place: Place; spec: LocationSpec; port: number; stop(): Promise<void> }>;
}

const clouds: readonly Cloud[] = [
  {
    name: "Azure",
    skip: missingAzure(),
    host: "devstoreaccount1.blob.core.windows.net",
    async start(tls, caCert) {
      const { account, container, key, endpoint, stop } = await startAzure(tls);
      const place: Place = {
        kind: "azure",
        container,
        prefix: "some/prefix",
        account,
        domain: "blob.core.windows.net",
        access: { by: "key", key },
        caCert,
      };
      const spec = {
        provider: "azure",
        bucket: container,
        prefix: "some/prefix",
        credentials: `KEY=${key}\n`,
        caCert,
        config: { storageAccount: account, storageAccountURI: endpoint, storageAccountKeyEnvVar: "KEY" },
      };
      return { place, spec, port: Number(new URL(endpoint).port), stop };
    },
  },
  {
    name: "Google Cloud Storage",
    skip: missingGcs(),
    host: "storage.googleapis.com",
    async start(tls, caCert) {
      const { bucket, credentials, origin, stop } = await startGcs(tls);
      const place: Place = { kind: "gcs", bucket, prefix: "some/prefix", credentials, caCert };
      const config = { storeEndpoint: origin };
      const spec = { provider: "gcp", bucket, prefix: "some/prefix", credentials, caCert, config };
      return { place, spec, port: Number(new URL(origin).port), stop };
    },
  },
];

/** Restic 0.18 sends an empty tier, which Azure takes for none and the emulator refuses (Azurite 3.36). */
async function tiered({ kind, program }: MoverSubject, folder: string): Promise<string> {
  if (kind !== "restic") return program;
  const wrapper = join(folder, "restic");
  await writeFile(wrapper, `#!/bin/sh\nexec ${program} -o azure.access-tier=Hot "$@"\n`, { mode: 0o755 });
  return wrapper;
}

for (const cloud of clouds) {
  for (const subject of [moverSubject("restic", "0.18"), moverSubject("kopia", "0.21")]) {
    const skip = cloud.skip ?? subject.skip;
    const title = `${subject.name} on ${cloud.name}`;
    describe.skipIf(skip !== undefined)(skip === undefined ? title : `${title} (skipped: ${skip})`, () => {
      let root = "";
      let started: Awaited<ReturnType<Cloud["start"]>>;
      let front: CloudFront;
      const before = process.env["HTTPS_PROXY"];
      beforeAll(async () => {
        root = await mkdtemp(join(tmpdir(), "clouds-"));
        const { cert, key } = selfSigned("emulator", Date.now(), [cloud.host]);
        const tls = { cert: join(root, "tls.pem"), key: join(root, "tls.key") };
        await writeFile(tls.cert, cert);
        await writeFile(tls.key, key);
        started = await cloud.start(tls, cert);
        front = await startCloudFront(started.port);
        process.env["HTTPS_PROXY"] = front.url;
      }, 120_000);
      afterAll(async () => {
        if (before === undefined) delete process.env["HTTPS_PROXY"];
        else process.env["HTTPS_PROXY"] = before;
        await front?.stop();
        await started?.stop();
        await rm(root, { recursive: true, force: true });
      }, 60_000);

      test("a folder goes there and comes back, and lies where upstream has it", async () => {
        const { place, spec } = started;
        const program = cloud.name === "Azure" ? await tiered(subject, root) : subject.program;
        const mover = makeMover(subject.kind, { program, scratch: join(root, "scratch"), owner: "test" });
        const repository = { place: repositoryPlace(place, mover.kind, "shop"), password: defaultPassword };
        const [from, to] = [join(root, "from"), join(root, "to")];
        await mkdir(join(from, "below"), { recursive: true });
        await mkdir(to);
        await writeFile(join(from, "below/file"), "the data of a volume");
        await mover.ensureRepository(repository);
        await mover.ensureRepository(repository);
        const source = volumeSource(mover.kind, { namespace: "shop", pod: "web-0", volume: "data" });
        const { snapshotId = "" } = await mover.backup({
          repository,
          path: from,
          source,
          tags: { backup: "b" },
        });
        await mover.restore({ repository, snapshotId, path: to });
        expect(await readFile(join(to, "below/file"), "utf8")).toBe("the data of a volume");
        expect([...front.asked], "nothing else was asked for").toEqual([`${cloud.host}:443`]);

        const store = await openStore(spec);
        const keys: string[] = [];
        for await (const entry of store.list("")) if ("object" in entry) keys.push(entry.object.key);
        const marker = mover.kind === "kopia" ? "kopia/shop/kopia.repository" : "restic/shop/config";
        expect(keys).toContain(marker);
        expect(keys.filter((key) => !key.startsWith(`${mover.kind}/shop/`))).toEqual([]);

        await mover.forget(repository, snapshotId);
        await mover.maintain({ repository });
        const wrong = { ...repository, password: "another" };
        await expect(mover.ensureRepository(wrong)).rejects.toMatchObject({ code: "MOVER_PASSWORD" });
      }, 120_000);
    });
  }
}
