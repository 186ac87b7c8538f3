import {
  NO_HOST_WORDS,
  NOTHING_OFFERED_WORDS,
  SOLD_OUT_WORDS,
  TOO_MANY_WORDS,
} from '#compute/errors'
import { MAX_INSTANCES, shareOf } from '#compute/limits'
import HostInstance from '#compute/models/host_instance'
import ServerInstance from '#compute/models/server_instance'
import ServerPackage from '#compute/models/server_package'
import type { Verdict } from '#core/verdict'
import { roomBeside, roomVerdict, type Room } from '#compute/policies/room_rules'
import { roomOn } from '#compute/queries/hosts'
import type { SoldOut } from '#compute/transformers/host'
import type { Offer } from '#compute/transformers/package'
import type { TransactionClientContract } from '@adonisjs/lucid/types/database'

/** What is offered, in the order of the catalogue. */
export function offeredPackages() {
  return ServerPackage.query().where('offered', true).orderBy('position').orderBy('id')
}

/** What a customer can order now, and whether that is anything at all, with the reason where not. */
export async function orderable(
  customerId: number
): Promise<{ offers: Offer[]; canOrder: Verdict }> {
  const [packages, rooms, own] = await Promise.all([
    offeredPackages(),
    activeRooms(),
    countOf(customerId),
  ])
  const offers = offersIn(packages, rooms)
  const no = (reason: string) => ({ offers, canOrder: { allowed: false, reason } })
  if (rooms.length === 0) return no(NO_HOST_WORDS)
  if (own >= MAX_INSTANCES) return no(TOO_MANY_WORDS)
  if (packages.length === 0) return no(NOTHING_OFFERED_WORDS)
  if (!offers.some(({ room }) => room.allowed)) return no(SOLD_OUT_WORDS)
  return { offers, canOrder: { allowed: true, reason: null } }
}

/** Which of these packages there is room for on these hosts. */
export function offersIn(packages: ServerPackage[], rooms: Room[]): Offer[] {
  return packages.map((row) => ({ row, room: roomVerdict(shareOf(row.specifications), rooms) }))
}

/** The room on every host that takes new instances. */
export async function activeRooms(): Promise<Room[]> {
  const hosts = await HostInstance.query().where('status', 'active').orderBy('id')
  return (await roomOn(hosts)).map(({ room }) => room)
}

/** Which of these packages an instance can be resized to, on the host that it is on. */
export async function sizesFor(
  instance: ServerInstance,
  packages: ServerPackage[]
): Promise<Offer[]> {
  const { vcpu, memoryBytes: memory, diskBytes: disk, host, serverPackageId } = instance
  const rooms = host ? (await roomOn([host])).map(({ room }) => room) : []
  const beside = rooms.map((room) => roomBeside(room, { vcpu, memory, disk }))
  const present = { allowed: true, reason: null }
  return offersIn(packages, beside).map(({ row, room }) => ({
    row,
    room: row.id === serverPackageId ? present : room,
  }))
}

/** The offered packages that each host has no room for, by its id and by what is in the way. */
export async function soldOutOn(hosts: HostInstance[]): Promise<Map<number, SoldOut[]>> {
  const [packages, rooms] = await Promise.all([offeredPackages(), roomOn(hosts)])
  return new Map(
    rooms.map(({ host, room }) => {
      const byReason = new Map<string, string[]>()
      for (const { row, room: verdict } of offersIn(packages, [room])) {
        if (verdict.allowed) continue
        const names = byReason.get(verdict.reason!) ?? []
        byReason.set(verdict.reason!, [...names, row.name])
      }
      const found = [...byReason].map(([reason, names]) => ({ reason, packages: names }))
      return [host.id, found]
    })
  )
}

/** How many instances a customer has, deleted ones not counted. */
export async function countOf(
  customerId: number,
  trx?: TransactionClientContract
): Promise<number> {
  const row = await ServerInstance.query({ client: trx })
    .where('customerId', customerId)
    .whereNot('status', 'deleted')
    .count('* as total')
    .first()
  return Number(row?.$extras.total ?? 0)
}
