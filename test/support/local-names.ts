/** Loaded in front of programs: names below localhost lead to this machine, whatever its resolver knows. */
import dns from 'node:dns'

const { lookup } = dns

function local(name: string, options: unknown, done: (...found: unknown[]) => void): void {
  if (!name.endsWith('.localhost')) {
    Reflect.apply(lookup, dns, [name, options, done])
    return
  }
  const isAll = typeof options === 'object' && (options as { readonly all?: boolean }).all === true
  process.nextTick(() => (isAll ? done(null, [{ address: '127.0.0.1', family: 4 }]) : done(null, '127.0.0.1', 4)))
}

dns.lookup = local as typeof lookup
