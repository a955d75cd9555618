import { AppError } from "../../errors.ts";

/** What is known of a cluster before something is installed there. What could not be asked is undefined. */
export interface Survey {
  readonly version: string;
  /** Rights that are missing, as `create clusterroles.rbac.authorization.k8s.io`. */
  readonly missingRights: readonly string[];
  /** Servers of Velero that run, as `namespace/name`. */
  readonly veleros: readonly string[] | undefined;
  readonly nodes: readonly { readonly ready: boolean; readonly platform: string }[] | undefined;
  readonly storageClasses: number | undefined;
  /** What Pod Security Admission enforces in the namespace. */
  readonly podSecurity: string | undefined;
}

/** What is to be installed, as far as the checks care. */
export interface Plan {
  readonly namespace: string;
  readonly agent: boolean;
  /** All when empty. */
  readonly controllers: readonly string[];
}

/** One line of the report; an error keeps the installation from being done. */
export interface Finding {
  readonly level: "ok" | "warning" | "error";
  readonly words: string;
}

const oldest = [1, 28] as const;

/** Judges a cluster. */
export function judge(survey: Survey, plan: Plan): readonly Finding[] {
  return [
    judgeVersion(survey.version),
    judgeRights(survey.missingRights),
    ...judgeVelero(survey.veleros, plan),
    ...judgeNodes(survey.nodes, plan),
    ...judgePodSecurity(survey.podSecurity, plan),
    ...(survey.storageClasses === 0
      ? [warning("no storage class: restored claims stay pending until there is one")]
      : []),
  ];
}

/** Why nothing is installed, if so. */
export function refusal(findings: readonly Finding[]): AppError | undefined {
  const faults = findings.filter(({ level }) => level === "error").map(({ words }) => words);
  if (faults.length === 0) return undefined;
  const words = `nothing was installed: ${faults.join("; ")} (--skip-checks installs all the same)`;
  return new AppError("INSTALL_REFUSED", words, { retry: false });
}

const ok = (words: string): Finding => ({ level: "ok", words });
const warning = (words: string): Finding => ({ level: "warning", words });
const error = (words: string): Finding => ({ level: "error", words });

function judgeVersion(version: string): Finding {
  const [, major, minor] = /^v?(\d+)\.(\d+)/.exec(version) ?? [];
  if (major === undefined || minor === undefined)
    return warning(`the server's version "${version}" is not understood`);
  const old = Number(major) < oldest[0] || (Number(major) === oldest[0] && Number(minor) < oldest[1]);
  return old
    ? error(`Kubernetes ${version} is older than ${oldest.join(".")}, the oldest that works`)
    : ok(`Kubernetes ${version}`);
}

function judgeRights(missing: readonly string[]): Finding {
  if (missing.length === 0) return ok("you may make everything that is needed");
  return error(
    `you may not ${missing.join(", ")}; ask an administrator, or let one apply what "headway install" prints`,
  );
}

/** Two servers in one namespace would both take every Backup. */
function judgeVelero(veleros: readonly string[] | undefined, { namespace, controllers }: Plan): Finding[] {
  if (veleros === undefined) return [warning("whether Velero runs here cannot be asked")];
  if (veleros.length === 0) return [ok("no Velero server runs here")];
  const names = veleros.join(", ");
  const here = veleros.filter((name) => name.startsWith(`${namespace}/`));
  if (here.length === 0)
    return [ok(`Velero runs as ${names}, in another namespace: both leave each other alone`)];
  const watching = `"headway watch" and "headway serve" show its work without being installed`;
  if (controllers.length > 0) {
    return [
      warning(`Velero runs as ${names} in the same namespace: run only controllers that it does not run`),
    ];
  }
  return [
    error(
      `Velero runs as ${names}, and both would take the same Backups: choose another namespace with -n, choose --controllers, ` +
        `or scale Velero down; ${watching}`,
    ),
  ];
}

function judgeNodes(nodes: Survey["nodes"], { agent }: Plan): Finding[] {
  if (nodes === undefined) return [warning("the nodes cannot be listed")];
  if (nodes.length === 0) return [warning("there is no node yet: nothing runs until there is one")];
  const ready = nodes.filter((node) => node.ready);
  if (ready.length === 0) return [error(`none of ${nodes.length} nodes is ready`)];
  const platforms = [...new Set(ready.map(({ platform }) => platform))].toSorted();
  const found = ok(`${ready.length} of ${nodes.length} nodes are ready (${platforms.join(", ")})`);
  const odd = platforms.filter((platform) => !platform.startsWith("linux"));
  if (!agent || odd.length === 0) return [found];
  return [found, warning(`agents do not run on ${odd.join(", ")}: volumes of pods there are not copied`)];
}

function judgePodSecurity(enforced: string | undefined, { namespace, agent }: Plan): Finding[] {
  if (!agent || enforced === undefined || enforced === "privileged") return [];
  return [
    error(
      `namespace "${namespace}" enforces the Pod Security Standard "${enforced}", and agents need the kubelet's folder: ` +
        `kubectl label --overwrite namespace ${namespace} pod-security.kubernetes.io/enforce=privileged, or --no-agent`,
    ),
  ];
}
