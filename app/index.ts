import { createApplication } from "./webhooks.ts";

/** The app, for Probot's own command line. */
export default createApplication().load;
