import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { BrowsePlace } from "../../browse/index.ts";
import { moverFinder } from "../../engines/podvolume/index.ts";
import type { Client } from "../../kube/index.ts";
import { moverFolders } from "../../movers/index.ts";
import { withCluster } from "../cluster.ts";
import type { Input } from "../command.ts";
import type { Io } from "../io.ts";

/** Opens the cluster and a private folder for the movers. Their connection files hold the keys of the location: nothing of it stays. */
export async function withPlace<T>(
  input: Input,
  io: Io,
  work: (place: BrowsePlace & { readonly client: Client }) => Promise<T>,
): Promise<T> {
  const scratch = await mkdtemp(join(tmpdir(), "headway-browse-"));
  try {
    return await withCluster(input, io, ({ client, namespace }) => {
      const mover = moverFinder({ scratch, folders: moverFolders({ ...io.env }) });
      return work({ client, namespace, mover });
    });
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}
