/** Full names that a provider may mean, in the order in which they are looked for. */
export function pluginNames(provider: string): readonly string[] {
  return provider.includes("/") ? [provider] : [`velero.io/${provider}`, `headway.dev/${provider}`];
}

/** Whether an item action may be called so: a domain, a slash, and something. */
export function isActionName(name: string): boolean {
  return /^[a-z0-9]([-a-z0-9.]*[a-z0-9])?\/[^/]+$/.test(name) && name.length <= 317;
}
