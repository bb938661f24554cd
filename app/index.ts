import { createApplication } from "./application.ts";

/** The app, for whoever runs it with Probot's own tools. */
export default createApplication().load;
