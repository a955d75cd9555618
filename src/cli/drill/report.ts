import { type Drill, type KubeObject, kinds } from "../../api/index.ts";
import { drillNames, verifyDocument } from "../../engines/drill/index.ts";
import { AppError } from "../../errors.ts";
import { builtIn, resourceOf } from "../../kube/index.ts";
import { withCluster } from "../cluster.ts";
import { type Input, text } from "../command.ts";
import { givenFile } from "../given-file.ts";
import type { Io } from "../io.ts";
import { reportPage } from "./report-html.ts";

const drills = resourceOf(kinds.Drill);

/** Prints the report of a drill that has ended. */
export async function printReport(input: Input, io: Io, signal: AbortSignal): Promise<void> {
  const [name = ""] = input.args;
  const { document, publicKey } = await withCluster(input, io, async ({ client, namespace }) => {
    const { status } = await client.get<Drill>(drills, name, { namespace }, signal);
    return status?.report ?? {};
  });
  if (document === undefined) {
    throw new AppError("USAGE", `drill "${name}" has no report: it did not run to its end`, { retry: false });
  }
  const { report, signature } = verifyDocument(document, publicKey);
  io.out(text(input, "output") === "html" ? reportPage(report, signature.publicKey) : document);
}

/** Verifies a report in a file. */
export async function verifyReport(input: Input, io: Io, signal: AbortSignal): Promise<void> {
  const [path = ""] = input.args;
  const words = (await givenFile("FILE", path)).toString("utf8");
  const trusted = text(input, "public-key") ?? (await clusterKey(input, io, signal));
  const { report, signature } = verifyDocument(words, trusted);
  io.out(
    `the report verifies: drill "${report.drill.name}" of backup "${report.backup.name}", ${report.verdict}, signed with ${signature.publicKey}\n`,
  );
}

function clusterKey(input: Input, io: Io, signal: AbortSignal): Promise<string> {
  return withCluster(input, io, async ({ client, namespace }) => {
    const map = await client.get<KubeObject & { readonly data?: Readonly<Record<string, string>> }>(
      builtIn.configMaps,
      drillNames.key,
      { namespace },
      signal,
    );
    return map.data?.["public.key"] ?? "";
  });
}
