import type { Item } from "../archive/item-json.ts";
import type { SpoolKey } from "../archive/spool.ts";
import {
  accountOf,
  freeServiceAccount,
  freeToken,
  isAccountToken,
  isAutomaticToken,
  mapSubjects,
} from "./access.ts";
import { completeWebhooks, isAutomaticApiService, preserveFields } from "./cluster.ts";
import { freeService } from "./service.ts";
import { changeStorageClass, claimsOfPod, freeClaim, volumeOfClaim } from "./volumes.ts";
import {
  changeImages,
  freeJob,
  freePod,
  isFinishedJob,
  isFinishedPod,
  isMirrorPod,
  priorityClassOf,
} from "./workload.ts";

/** What the actions may look at beside the item. */
export interface ActionContext {
  /** The namespace in the backup, "" for cluster-scoped items. */
  readonly namespace: string;
  readonly preserveNodePorts: boolean;
  readonly storageClasses: Readonly<Record<string, string>>;
  readonly images: Readonly<Record<string, string>>;
  target(namespace: string): string;
  /** The name under which a volume comes back; undefined when one will be provisioned anew instead. */
  restoredVolume(volume: string): string | undefined;
  /** Whether the backup or the target namespace has a service account of this name. */
  hasAccount(name: string): boolean;
}

/** What becomes of an item. */
export type Acted = { readonly skip: string } | { readonly item: Item };

/** Items that must come first, because this one names them. */
export function companionsOf(groupResource: string, item: Item, namespace: string): SpoolKey[] {
  switch (groupResource) {
    case "pods": {
      const claims = claimsOfPod(item).map((name) => ({
        groupResource: "persistentvolumeclaims",
        namespace,
        name,
      }));
      const priority = priorityClassOf(item);
      if (priority === "" || priority.startsWith("system-")) return claims;
      return [
        ...claims,
        { groupResource: "priorityclasses.scheduling.k8s.io", namespace: "", name: priority },
      ];
    }
    case "persistentvolumeclaims": {
      const volume = volumeOfClaim(item);
      return volume === "" ? [] : [{ groupResource: "persistentvolumes", namespace: "", name: volume }];
    }
    default:
      return [];
  }
}

/** Whether an item is over and done with, so that restoring it would do its work again. Needs its status. */
export function isFinished(groupResource: string, item: Item): boolean {
  if (groupResource === "pods") return isFinishedPod(item);
  return groupResource === "jobs.batch" && isFinishedJob(item);
}

const neverAsTheyAre: ReadonlySet<string> = new Set([
  "datauploads.velero.io",
  "volumesnapshots.snapshot.storage.k8s.io",
  "volumesnapshotcontents.snapshot.storage.k8s.io",
]);

/** Whether items of a type are created only by whoever knows how: as they are, a driver or a data mover would begin anew with volumes that are gone. */
export function isNeverAsItIs(groupResource: string): boolean {
  return neverAsTheyAre.has(groupResource);
}

/** Everything that a type asks for before it can live in another cluster. Persistent volumes are decided elsewhere. */
export function act(groupResource: string, item: Item, context: ActionContext): Acted {
  const changed = byType(groupResource, item, context);
  return "skip" in changed ? changed : { item: changeImages(changed.item, context.images) };
}

function byType(groupResource: string, item: Item, context: ActionContext): Acted {
  switch (groupResource) {
    case "pods":
      return isMirrorPod(item) ? { skip: "the kubelet makes it" } : { item: freePod(item) };
    case "services":
      return { item: freeService(item, context.preserveNodePorts) };
    case "serviceaccounts":
      return { item: freeServiceAccount(item) };
    case "secrets":
      return secret(item, context);
    case "jobs.batch":
      return { item: freeJob(item) };
    case "persistentvolumeclaims":
      return {
        item: changeStorageClass(
          freeClaim(item, context.restoredVolume(volumeOfClaim(item))),
          context.storageClasses,
        ),
      };
    case "persistentvolumes":
    case "statefulsets.apps":
      return { item: changeStorageClass(item, context.storageClasses) };
    case "rolebindings.rbac.authorization.k8s.io":
    case "clusterrolebindings.rbac.authorization.k8s.io":
      return { item: mapSubjects(item, (namespace) => context.target(namespace)) };
    case "apiservices.apiregistration.k8s.io":
      return isAutomaticApiService(item) ? { skip: "the API server makes it" } : { item };
    case "mutatingwebhookconfigurations.admissionregistration.k8s.io":
    case "validatingwebhookconfigurations.admissionregistration.k8s.io":
      return { item: completeWebhooks(item) };
    case "customresourcedefinitions.apiextensions.k8s.io":
      return { item: preserveFields(item) };
    default:
      return { item };
  }
}

function secret(item: Item, context: ActionContext): Acted {
  if (!isAccountToken(item)) return { item };
  if (isAutomaticToken(item) && context.hasAccount(accountOf(item))) {
    return { skip: "the cluster makes a token of its own" };
  }
  return { item: freeToken(item) };
}
