/** A day of the calendar with what happens on it. */
export interface Day<Event> {
  readonly date: Date;
  /** Whether the day is one of the month, and not of those before and after it that fill the weeks. */
  readonly isInMonth: boolean;
  readonly events: readonly Event[];
}

/** Returns the first moment of the month of a date, or of one some months later, in the time zone of the browser. */
export const monthOf = (date: Date, later = 0): Date => new Date(date.getFullYear(), date.getMonth() + later, 1);

/** Returns the first moment of the weeks that a month is in, and the first one after them, from Monday, as the service takes them. */
export function weeksOf(month: Date): { readonly from: string; readonly to: string } {
  const days = daysOf(month, []);
  const [first, last] = [days[0]?.date ?? month, days.at(-1)?.date ?? month];
  const end = new Date(last.getFullYear(), last.getMonth(), last.getDate() + 1);
  return { from: first.toISOString(), to: end.toISOString() };
}

/** Returns the days of the whole weeks that a month is in, from Monday, with their events. */
export function daysOf<Event extends { readonly at: string }>(month: Date, events: readonly Event[]): readonly Day<Event>[] {
  const before = (month.getDay() + 6) % 7;
  const length = monthOf(month, 1).getTime() - month.getTime();
  const days = Math.ceil((before + Math.round(length / 86_400_000)) / 7) * 7;
  return Array.from({ length: days }, (_, index) => {
    const date = new Date(month.getFullYear(), month.getMonth(), 1 + index - before);
    const isInMonth = date.getMonth() === month.getMonth();
    return { date, isInMonth, events: events.filter(({ at }) => new Date(at).toDateString() === date.toDateString()) };
  });
}
