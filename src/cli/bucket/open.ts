import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type BackupStorageLocation, kinds } from "../../api/index.ts";
import type { Opening } from "../../engines/bucket/index.ts";
import {
  locationMask,
  moverFinder,
  placeOf,
  readLocation,
  repositoryPassword,
} from "../../engines/podvolume/index.ts";
import { AppError } from "../../errors.ts";
import { resourceOf } from "../../kube/index.ts";
import { defaultPassword, moverFolders } from "../../movers/index.ts";
import { type LocationSpec, mountedCredentials, openStore, type Store } from "../../store/index.ts";
import { pairsOf } from "../backup/spec.ts";
import { withCluster } from "../cluster.ts";
import { given, type Input, text } from "../command.ts";
import { givenFile, givenWords } from "../given-file.ts";
import type { Io } from "../io.ts";
import { readAddress } from "./address.ts";

/** A bucket that a command works on. */
export interface OpenBucket {
  /** As the person wrote it. */
  readonly name: string;
  readonly store: Store;
  /** Absent when no password was given. */
  readonly opening?: Opening;
  /** A private folder of this command. */
  readonly scratch: string;
}

/** Opens the bucket that a command line names, works with it, and leaves nothing behind. */
export async function withBucket<T>(
  input: Input,
  io: Io,
  work: (bucket: OpenBucket) => Promise<T>,
  signal: AbortSignal,
): Promise<T> {
  const [name = ""] = input.args;
  const { spec, password } = await locationOf(name, input, io, signal);
  const mask = locationMask(spec);
  mask.learn(password ?? "");
  const scratch = await mkdtemp(join(text(input, "scratch") ?? tmpdir(), "headway-bucket-"));
  try {
    const store = await openStore(spec);
    const opening = password === undefined ? undefined : await openingOf(spec, password, scratch, io, signal);
    return await work({ name, store, scratch, ...(opening && { opening }) });
  } catch (error) {
    throw mask.error(error);
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}

async function openingOf(
  spec: LocationSpec,
  password: string,
  scratch: string,
  io: Io,
  signal: AbortSignal,
): Promise<Opening> {
  const folders = moverFolders({ ...io.env });
  return {
    place: await placeOf(spec, signal),
    password,
    mover: moverFinder({ folders, scratch }),
  };
}

interface Opened {
  readonly spec: LocationSpec;
  readonly password?: string | undefined;
}

async function locationOf(name: string, input: Input, io: Io, signal: AbortSignal): Promise<Opened> {
  const address = readAddress(name);
  const password = await passwordOf(input, io);
  if (address.is === "location")
    return { ...(await clusterLocation(address.name, password, input, io, signal)) };
  const config = pairsOf(input, "config");
  if (address.is === "folder") {
    const { path, folder } = address;
    return { spec: { provider: "filesystem", bucket: folder, config: { path } }, password };
  }
  const { provider, bucket, prefix } = address;
  const [credentialsFile, caFile] = [text(input, "credentials-file"), text(input, "cacert")];
  const credentials =
    credentialsFile === undefined
      ? await mountedCredentials(provider, { ...io.env })
      : (await givenFile("credentials-file", credentialsFile)).toString("latin1");
  const caCert = caFile === undefined ? undefined : (await givenFile("cacert", caFile)).toString("utf8");
  return {
    spec: {
      provider,
      bucket,
      config,
      ...(prefix !== "" && { prefix }),
      ...(credentials !== undefined && { credentials }),
      ...(caCert !== undefined && { caCert }),
    },
    password,
  };
}

/** A location of the cluster, with the password of its server unless another one was given. */
async function clusterLocation(
  name: string,
  password: string | undefined,
  input: Input,
  io: Io,
  signal: AbortSignal,
): Promise<Opened> {
  return await withCluster(input, io, async ({ client, namespace }) => {
    const locations = resourceOf(kinds.BackupStorageLocation);
    const location = await client.get<BackupStorageLocation>(locations, name, { namespace }, signal);
    const known = await repositoryPassword(client, namespace, signal).catch(() => {
      signal.throwIfAborted();
      return undefined; // without the Secret, or the right to read it, repositories are not opened
    });
    return { spec: await readLocation(client, location, signal), password: password ?? known };
  });
}

async function passwordOf(input: Input, io: Io): Promise<string | undefined> {
  const file = text(input, "password-file");
  const isDefault = given(input, "default-password");
  if (file !== undefined && isDefault) {
    throw new AppError("USAGE", "--password-file and --default-password are two passwords", { retry: false });
  }
  if (isDefault) return defaultPassword;
  if (file !== undefined) return await givenWords("password-file", file);
  return io.env["HEADWAY_REPOSITORY_PASSWORD"] || undefined;
}
