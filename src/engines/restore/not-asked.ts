/** The plan of a restore cannot know: whoever looks may not ask the API server for it. Never thrown in a run. */
export class NotAsked extends Error {
  override readonly name = "NotAsked";
}
