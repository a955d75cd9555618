import type { Mask } from "../../kube/index.ts";
import type { ActionParams, ProfileParams } from "./params.ts";

/** Teaches a mask what is secret among the parameters of an action. */
export function learnParams(
  mask: Pick<Mask, "learn" | "learnSecret">,
  { object, secrets, profile }: Pick<ActionParams, "object" | "secrets" | "profile">,
): void {
  for (const secret of Object.values(secrets)) mask.learnSecret(secret);
  if (profile) learnProfile(mask, profile);
  // An action may be about a Secret itself.
  if (object["kind"] === "Secret") mask.learnSecret(object as Parameters<Mask["learnSecret"]>[0]); // as the cluster serves it
}

/** Ids of keys are secret too: they are half of what opens the store. */
function learnProfile(
  mask: Pick<Mask, "learn" | "learnSecret">,
  { credential: { keyPair, secret, kopiaServer } }: ProfileParams,
): void {
  mask.learn(keyPair?.id);
  mask.learn(keyPair?.secret);
  mask.learnSecret(secret);
  mask.learn(kopiaServer?.password);
}
