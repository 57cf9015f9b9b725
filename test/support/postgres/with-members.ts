/** An object of a class with some members replaced. */
export function withMembers<T extends object>(object: T, members: { readonly [Name in keyof T]?: unknown }): T {
  const replaced = members as Readonly<Record<string | symbol, unknown>>
  return new Proxy(object, {
    get: (target, name) => {
      if (name in replaced) return replaced[name]
      const member: unknown = Reflect.get(target, name, target)
      return typeof member === 'function' ? member.bind(target) : member
    },
  })
}
