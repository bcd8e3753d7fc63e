/** Numbers and times for people, the same everywhere. */

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** How long ago, as far as that helps; else the day. */
export function ago(time: string | number, now = Date.now()): string {
  const then = new Date(time);
  const past = now - then.getTime();
  if (Number.isNaN(past)) return "";
  if (past < MINUTE) return "just now";
  if (past < HOUR) return `${Math.floor(past / MINUTE)} min ago`;
  if (past < DAY) return `${Math.floor(past / HOUR)} h ago`;
  if (past < 7 * DAY) return `${Math.floor(past / DAY)} d ago`;
  return day(then);
}

/** The day, where the person is: 2026-11-16. */
export function day(time: string | number | Date): string {
  const date = new Date(time);
  const two = (number: number): string => String(number).padStart(2, "0");
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
}

/** The day and the time: 2026-11-16 09:05. */
export function moment(time: string | number | Date): string {
  const date = new Date(time);
  if (Number.isNaN(date.getTime())) return "";
  const two = (number: number): string => String(number).padStart(2, "0");
  return `${day(date)} ${two(date.getHours())}:${two(date.getMinutes())}`;
}

/** Dollars: $0.19, $12.40, $1,204; less than a cent is said so. */
export function dollars(amount: number): string {
  if (amount === 0) return "$0";
  if (amount < 0.01) return "<$0.01";
  const digits = amount < 1000 ? 2 : 0;
  return amount.toLocaleString("en-US", {
    style: "currency",
    currency: "USD",
    minimumFractionDigits: digits,
    maximumFractionDigits: digits,
  });
}

/** A count, shortened where it is large: 962, 12.4k, 3.6M. */
export function count(number: number): string {
  if (number < 1000) return String(Math.round(number));
  const units = ["k", "M", "G", "T"];
  let rest = number / 1000;
  let unit = 0;
  while (rest >= 999.5 && unit < units.length - 1) {
    rest /= 1000;
    unit += 1;
  }
  return `${rest < 99.95 ? rest.toFixed(1).replace(/\.0$/u, "") : String(Math.round(rest))}${units[unit] ?? ""}`;
}

/** A count of things: 1 session, 2,317 sessions. */
export function things(number: number, one: string, several = `${one}s`): string {
  return `${number.toLocaleString("en-US")} ${number === 1 ? one : several}`;
}

/** Bytes: 512 B, 27 KB, 1.2 MB. */
export function bytes(size: number): string {
  const units = ["B", "KB", "MB", "GB", "TB"];
  let rest = size;
  let unit = 0;
  while (rest >= 1000 && unit < units.length - 1) {
    rest /= 1000;
    unit += 1;
  }
  return `${rest < 10 && unit > 0 ? rest.toFixed(1) : Math.round(rest)} ${units[unit] ?? ""}`;
}

/** Minutes: 45 s, 7 min, 2 h 5 min. */
export function minutes(length: number): string {
  if (length < 1) return `${Math.round(length * 60)} s`;
  if (length < 60) return `${Math.round(length)} min`;
  const whole = Math.round(length);
  return whole % 60 === 0 ? `${whole / 60} h` : `${Math.floor(whole / 60)} h ${whole % 60} min`;
}

/** A project's path as one says it: its last two parts. */
export function projectName(path: string): string {
  return (
    path
      .split("/")
      .filter((part) => part !== "")
      .slice(-2)
      .join("/") || path
  );
}

/** The first part of an id, enough to recognise it. */
export function shortId(id: string): string {
  return id.slice(0, 8);
}
