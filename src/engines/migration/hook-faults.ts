import type { MigHook } from "../../api/index.ts";
import { critical, required, type Wanted } from "./conditions.ts";

/** What holds about a hook. */
export function hookConditions({ spec }: MigHook): readonly Wanted[] {
  const { custom, image, playbook = "", targetCluster, activeDeadlineSeconds } = spec ?? {};
  const faults: Wanted[] = [];
  if (!image) faults.push(critical("InvalidImage", "NotSet", "image is not set"));
  if (targetCluster !== "source" && targetCluster !== "destination") {
    faults.push(critical("InvalidTarget", "NotSet", 'targetCluster is neither "source" nor "destination"'));
  }
  if (custom === true && playbook !== "") {
    faults.push(
      critical("InvalidCustomHook", "NotSet", "a custom hook runs its image as it is and takes no playbook"),
    );
  }
  if (custom !== true && playbook === "") {
    faults.push(critical("InvalidAnsibleHook", "NotSet", "a hook that is not custom needs a playbook"));
  }
  if (playbook !== "" && !/^[A-Za-z0-9+/\s]*={0,2}\s*$/.test(playbook)) {
    faults.push(critical("InvalidPlaybookData", "NotSet", "playbook is no base64"));
  }
  if (activeDeadlineSeconds !== undefined && activeDeadlineSeconds <= 0) {
    faults.push(critical("InvalidDeadline", "NotSet", "activeDeadlineSeconds is not above 0"));
  }
  return faults.length > 0 ? faults : [required("Ready", undefined, "The hook is ready.")];
}
