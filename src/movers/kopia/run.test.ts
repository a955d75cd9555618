import { randomBytes } from "node:crypto";
import { findTestMover } from "../../../test/harness/movers.ts";
import { asNobody } from "../../../test/harness/nobody.ts";
import { missingS3, startS3 } from "../../../test/harness/s3.ts";
import { moverConformance } from "../conformance.ts";
import type { MoverOptions } from "../mover.ts";
import { Kopia } from "./run.ts";

const found = findTestMover("kopia");
const missing = "missing" in found ? found.missing : undefined;
const program = "program" in found ? found.program : "";
const subject = {
  make: (options: Omit<MoverOptions, "program">) => new Kopia({ ...options, program }),
  emptySnapshots: true,
  // Kopia 0.21 stores names as JSON text: bytes that are not UTF-8 become U+FFFD.
  keepsRawNames: false,
  // Kopia 0.21 sets the time of a folder before the folders in it are finished.
  keepsFolderTimes: false,
  async unprivileged(options: { scratch: string; folder: string }) {
    const nobody = await asNobody(program, options);
    return { mover: new Kopia(nobody), place: nobody.place };
  },
};

moverConformance({
  ...subject,
  name: "kopia on a file system",
  skip: missing,
  location: (folder) =>
    Promise.resolve({ place: { kind: "filesystem", path: folder }, close: () => Promise.resolve() }),
});

moverConformance({
  ...subject,
  name: "kopia on S3",
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
