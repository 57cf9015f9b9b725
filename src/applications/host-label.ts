/** The end of the hosts below a domain. */
export function suffixOf(domain: string): string {
  return `.${hostName(domain)}`
}

/** The first label of a host, which names an application. @param host with or without a port @param suffix of its domain */
export function labelOf(host: string, suffix: string): string | undefined {
  const name = hostName(host)
  return name.endsWith(suffix) ? name.slice(0, -suffix.length).split('.')[0] : undefined
}

/** A host without its port and without a trailing dot. */
function hostName(host: string): string {
  return host.toLowerCase().replace(/\.?(?::\d+)?$/, '')
}
