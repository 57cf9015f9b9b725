/** Names of what the driver reads beside the options it is given: addresses, settings of sessions, a password where there is none. */
const READ_BY_DRIVER = /^(?:PG|POSTGRES|DATABASE|TLS_)/

/** Runs work that does not see the variables of the environment which the driver reads: the settings of the caller alone decide. */
export function withoutVariables<T>(work: () => T): T {
  const hidden = Object.entries(process.env).filter(([name]) => READ_BY_DRIVER.test(name))
  for (const [name] of hidden) delete process.env[name]
  try {
    return work()
  } finally {
    Object.assign(process.env, Object.fromEntries(hidden))
  }
}
