/** The powers of ten around some values: what an axis whose steps are multiples is marked with. */
export function decades(values: readonly number[]): number[] {
  const exponents = values.map(Math.log10)
  const [first, last] = [Math.floor(Math.min(...exponents)), Math.ceil(Math.max(...exponents))]
  // Powers by multiplication would be off by a rounding error.
  return Array.from({ length: last - first + 1 }, (_, index) => Number(`1e${first + index}`))
}
