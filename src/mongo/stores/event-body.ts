/** An event in the words of a webhook's format. */
interface ToldEvent {
  readonly event: string;
  readonly at: Date;
  /** The singular name of the type, and further parts of the body, such as the entry. */
  readonly about: Readonly<Record<string, unknown>>;
}

/** The bodies of events by the format of a webhook: that of Standard Webhooks, and that of Strapi v4. */
const bodies = {
  standard: ({ event, at, about }: ToldEvent) => ({ type: event, timestamp: at.toISOString(), data: about }),
  strapi: ({ event, at, about }: ToldEvent) => ({ event, createdAt: at.toISOString(), ...about }),
} as const;

export type EventFormat = keyof typeof bodies;

/** Returns the body of a delivery. */
export const eventBody = (told: ToldEvent, format: EventFormat): string => JSON.stringify(bodies[format](told));
