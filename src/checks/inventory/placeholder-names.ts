/** At the end of the name of what could not be loaded, and whose tests have no names therefore. */
export const uncollected = " (not collected)";

/** Whether a name stands for a hook that failed after the tests it belongs to had run: it is none of them. */
export const isAfterHook = (name: string) => afterHook.test(name);

const afterHook =
  /^"after (?:each|all)" hook\b|^tearDown(?:Class|Module) \(|^teardown_(?:file|suite) failed$/;

/** Whether a name stands for tests that could not begin: of a hook, a module, a program. */
export const isStandIn = (name: string) => name.endsWith(uncollected) || standIn.test(name);

const standIn =
  /^"(?:before|after) (?:each|all)" hook\b|^(?:setUp|tearDown)(?:Class|Module) \(|\(unittest\.loader\._FailedTest\b|^(?:setup|teardown)_(?:file|suite) failed$|_NOT_BUILT$|^ ?TestMain$| (?:initializationError)?$/;
