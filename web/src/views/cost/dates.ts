/** Days as they are written, such as 2026-11-16. They are counted without clocks, so that no hour gets lost in spring. */

const DAY = 86_400_000;

export function isDay(text: string | null): text is string {
  return text !== null && /^\d{4}-\d\d-\d\d$/u.test(text) && !Number.isNaN(Date.parse(text));
}

export function addDays(day: string, days: number): string {
  return new Date(Date.parse(day) + days * DAY).toISOString().slice(0, 10);
}

/** How many days lie between two; 0 if they are the same. */
export function daysBetween(from: string, to: string): number {
  return Math.round((Date.parse(to) - Date.parse(from)) / DAY);
}

/** Monday is 0. */
export function weekday(day: string): number {
  return (new Date(Date.parse(day)).getUTCDay() + 6) % 7;
}

export function mondayOf(day: string): string {
  return addDays(day, -weekday(day));
}
