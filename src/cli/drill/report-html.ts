import type { DrillReport } from "../../engines/drill/index.ts";
import { moment } from "../backup/words.ts";
import { measuredLines } from "./describe-text.ts";

/** A page to print, made of a report that verified. It loads nothing from anywhere. */
export function reportPage(report: DrillReport, publicKey: string): string {
  const { drill, backup, verdict, message, checks, failures, namespaces } = report;
  const title = `Restore drill of backup ${backup.name}`;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>${safe(title)}</title>
<style>
body { font: 11pt/1.45 system-ui, sans-serif; max-width: 46rem; margin: 2rem auto; padding: 0 1rem; color: #151515; }
h1 { font-size: 1.5rem; } h2 { font-size: 1.1rem; margin-top: 1.6rem; }
table { border-collapse: collapse; width: 100%; } th, td { text-align: left; padding: .25rem .6rem .25rem 0; border-bottom: 1px solid #d2d2d2; vertical-align: top; }
.verdict { font-weight: 600; padding: .6rem .8rem; border-left: .4rem solid; } .proved { border-color: #3d7317; } .failed, .canceled { border-color: #b1380b; }
code { overflow-wrap: anywhere; }
@media print { body { margin: 0; } }
</style>
</head>
<body>
<h1>${safe(title)}</h1>
<p class="verdict ${safe(verdict)}">${safe(verdict === "proved" ? "Restorable" : verdict === "canceled" ? "Canceled" : "Not restorable")}: ${safe(message)}</p>
${rows("Drill", [
  ["Name", `${drill.namespace}/${drill.name}`],
  ["Backup", `${backup.name}, begun ${moment(backup.startedAt)}`],
  ["Started", moment(report.startedAt)],
  ["Ended, everything removed", moment(report.finishedAt)],
  ["Namespaces", namespaces.map(({ source, target }) => `${source} as ${target}`).join(", ")],
])}
${rows("Measured", measuredLines(report.measured))}
${rows(
  "Checks",
  checks.map(({ kind, namespace = "", name, result, message: seen = "" }) => [
    `${kind} ${namespace}/${name}`,
    `${result}: ${seen}`,
  ]),
)}
${rows(
  "Failures",
  failures.map(({ part, reason, object = "", message: why }) => [`${part} (${reason})`, `${object} ${why}`]),
)}
<h2>Signature</h2>
<p>The document behind this page verified with the ed25519 key <code>${safe(publicKey)}</code>. Verify the document itself with <code>headway drill verify</code>; this page carries no signature.</p>
</body>
</html>
`;
}

function rows(title: string, lines: readonly (readonly [string, string])[]): string {
  if (lines.length === 0) return "";
  const body = lines.map(
    ([label, value]) => `<tr><th scope="row">${safe(label)}</th><td>${safe(value)}</td></tr>`,
  );
  return `<h2>${safe(title)}</h2>\n<table>\n${body.join("\n")}\n</table>`;
}

const entities: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

/** Messages come from clusters and buckets: none of them is markup. */
function safe(text: string): string {
  return text.replaceAll(/[&<>"']/g, (char) => entities[char] ?? "");
}
