import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { backupNow, deleteRequest, upcoming } from "../../engines/backup/index.ts";
import type { Client } from "../../kube/index.ts";
import type { Observer } from "../../observe/index.ts";
import { listen, tokenAuthorizer } from "../../server/index.ts";
import type { Io } from "../io.ts";

/** Serves the page of the demo and says where, until the signal fires. */
export async function servePage(
  client: Client,
  observer: Observer,
  open: boolean,
  io: Io,
  signal: AbortSignal,
): Promise<{ readonly closed: Promise<void> }> {
  const token = randomBytes(24).toString("base64url");
  const cluster = { client, writes: true, backups: { upcoming, backupNow, deleteRequest } };
  const { url, hasPage, closed } = await listen(
    { observer, authorizer: tokenAuthorizer(token), address: "127.0.0.1:0", cluster },
    signal,
  );
  const address = `${url}/#token=${token}`;
  io.out(hasPage ? `   the page: ${address}\n` : "   the page is not built here; `npm run page` builds it\n");
  if (open && hasPage) openBrowser(address, io);
  return { closed };
}

function openBrowser(address: string, io: Io): void {
  const program = process.platform === "darwin" ? "open" : "xdg-open";
  const child = spawn(program, [address], { stdio: "ignore", detached: true });
  child.once("error", () => io.err(`no browser could be opened; the address is ${address}\n`));
  child.unref();
}
