import { dlopen, ptr } from 'bun:ffi'
import { closeSync, openSync } from 'node:fs'

/** Numbers of Linux; they are the same on every processor that Bun runs on. */
const SOL_SOCKET = 1
const SO_REUSEPORT = 15
const SO_ACCEPTCONN = 30
const SO_ATTACH_REUSEPORT_CBPF = 51
/** The only instruction of a filter that answers with a constant. */
const BPF_RETURN = 0x06
const BPF_INSTRUCTION_BYTES = 8
const LONGEST_ADDRESS_BYTES = 128
/** Byte of an address at which the port begins, high byte first. */
const PORT_AT = 2
/** Descriptors that others may have closed between the making of a socket and the looking for it. */
const SPARE_DESCRIPTORS = 64
/** The one of GNU, and that of musl. */
const LIBRARIES = ['libc.so.6', `libc.musl-${process.arch === 'arm64' ? 'aarch64' : 'x86_64'}.so.1`]

type Calls = ReturnType<typeof callsOf>

let calls: Calls | undefined

/** @throws Error unless this is Linux */
function system(): Calls {
  calls ??= callsOf()
  return calls
}

function callsOf() {
  if (process.platform !== 'linux') throw new Error('only Linux lets two listeners share a port as this needs it')
  for (const library of LIBRARIES) {
    try {
      const { symbols } = dlopen(library, {
        setsockopt: { args: ['i32', 'i32', 'i32', 'ptr', 'u32'], returns: 'i32' },
        getsockopt: { args: ['i32', 'i32', 'i32', 'ptr', 'ptr'], returns: 'i32' },
        getsockname: { args: ['i32', 'ptr', 'ptr'], returns: 'i32' },
      })
      return symbols
    } catch {
      // The other one, then.
    }
  }
  throw new Error(`found none of ${LIBRARIES.join(', ')}`)
}

/**
 * A listening socket of this process, which the runtime itself does not hand out. It is found by its port right after
 * it was made: a new descriptor is the lowest that is free, so it lies close below the next one.
 */
export class ListeningSocket {
  readonly #descriptor: number

  private constructor(descriptor: number) {
    this.#descriptor = descriptor
  }

  /**
   * The latest socket that listens on a port.
   * @param except one that is known
   * @throws Error when there is none, or the system does not tell
   */
  static on(port: number, except?: ListeningSocket): ListeningSocket {
    const { getsockopt } = system()
    const next = openSync('/dev/null', 'r')
    closeSync(next)
    const value = new Int32Array(1)
    const known = except === undefined ? undefined : except.#descriptor
    for (let descriptor = next + SPARE_DESCRIPTORS; descriptor >= 0; descriptor--) {
      if (descriptor === known) continue
      const length = new Uint32Array([value.byteLength])
      if (getsockopt(descriptor, SOL_SOCKET, SO_ACCEPTCONN, ptr(value), ptr(length)) !== 0) continue
      if (value[0] === 1 && portOf(descriptor) === port) return new ListeningSocket(descriptor)
    }
    throw new Error(`found no socket that listens on port ${port}`)
  }

  /** From now on a socket that asks for it, of the same user, may listen on the same port. */
  letOthersIn(): void {
    const yes = new Int32Array([1])
    const { setsockopt } = system()
    if (setsockopt(this.#descriptor, SOL_SOCKET, SO_REUSEPORT, ptr(yes), yes.byteLength) !== 0) {
      throw new Error('the system does not let a second listener in')
    }
  }

  /**
   * Of all sockets that share its port the system hands every new connection to one.
   * @param place its place among them in the order in which they began, from 0
   * @throws Error where the system cannot: it shares the connections out then
   */
  sendAllTo(place: number): void {
    const instruction = new DataView(new ArrayBuffer(BPF_INSTRUCTION_BYTES))
    instruction.setUint16(0, BPF_RETURN, true)
    instruction.setUint32(4, place, true)
    // struct sock_fprog: how many instructions, and where they are.
    const filter = new BigUint64Array([1n, BigInt(ptr(instruction.buffer))])
    const { setsockopt } = system()
    const failed = setsockopt(this.#descriptor, SOL_SOCKET, SO_ATTACH_REUSEPORT_CBPF, ptr(filter), filter.byteLength)
    if (failed !== 0) throw new Error('the system does not let anybody choose among listeners')
  }
}

function portOf(descriptor: number): number | undefined {
  const address = new Uint8Array(LONGEST_ADDRESS_BYTES)
  const length = new Uint32Array([address.byteLength])
  if (system().getsockname(descriptor, ptr(address), ptr(length)) !== 0) return undefined
  return new DataView(address.buffer).getUint16(PORT_AT, false)
}
