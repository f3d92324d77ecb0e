/** What can be wrong with when a playbook is to be run. */
export const SCHEDULE_CODES = {
  "playbook.schedule-cron": {
    severity: "error",
    title: "a cron pattern cannot be read, or never fires",
    meaning:
      "The pattern says when the playbook is run: minute, hour, day of the month, month and weekday. A pattern such as 0 0 30 2 * asks for a day that never comes, so the playbook would never run, and nobody would be told.",
    cure: 'Write five fields, as in "15 2 * * *" for every day at 02:15; `tokenbook schedule list --next 5 FILE` shows when it fires.',
    example: "schedule-never",
  },
  "playbook.schedule-time": {
    severity: "error",
    title: "the times of a schedule do not fit together",
    meaning:
      "A jitter that is as long as the time between two firings would let one overtake the other, and a run that may take no time cannot be made.",
    cure: "Take a jitter shorter than the interval, and a timeLimit that is longer than a run.",
    example: "schedule-jitter",
  },
  "playbook.schedule-zone": {
    severity: "error",
    title: "a time zone is not known",
    meaning: "The zone says by whose clock the playbook is run, with its summer time. The system knows no zone of this name.",
    cure: "Take the name that is suggested, one such as Europe/Paris, or UTC.",
    example: "schedule-zone",
  },
} as const;
