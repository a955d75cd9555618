/** A patch that does not fit what it is for; the message says where. */
export class PatchError extends Error {
  override readonly name = "PatchError";
}
