import { randomBytes } from "node:crypto";
import { findTestMover } from "../../../test/harness/movers.ts";
import { asNobody } from "../../../test/harness/nobody.ts";
import { missingS3, startS3 } from "../../../test/harness/s3.ts";
import { moverConformance } from "../conformance.ts";
import type { MoverOptions } from "../mover.ts";
import { Restic } from "./run.ts";

for (const version of ["0.14", "0.18"]) {
  const found = findTestMover("restic", version);
  const missing = "missing" in found ? found.missing : undefined;
  const program = "program" in found ? found.program : "";
  const subject = {
    make: (options: Omit<MoverOptions, "program">) => new Restic({ ...options, program }),
    emptySnapshots: false,
    keepsRawNames: true,
    keepsFolderTimes: true,
    async unprivileged(options: { scratch: string; folder: string }) {
      const nobody = await asNobody(program, options);
      return { mover: new Restic(nobody), place: nobody.place };
    },
  };
  moverConformance({
    ...subject,
    name: `restic ${version} on a file system`,
    skip: missing,
    brief: version === "0.14",
    location: (folder) =>
      Promise.resolve({ place: { kind: "filesystem", path: folder }, close: () => Promise.resolve() }),
  });
  if (version !== "0.18") continue;
  moverConformance({
    ...subject,
    name: `restic ${version} on S3`,
    skip: missing ?? missingS3(),
    brief: true,
    async location() {
      const server = await startS3();
      const { endpoint, bucket, region, accessKeyId, secretAccessKey } = server;
      const prefix = `movers-${randomBytes(4).toString("hex")}`;
      const keys = { accessKeyId, secretAccessKey };
      return { place: { kind: "s3", endpoint, bucket, region, prefix, keys }, close: () => server.stop() };
    },
  });
}
