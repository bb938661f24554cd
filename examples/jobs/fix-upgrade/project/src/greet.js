import template from "tiny-template";

export const greet = (name) => template("Hello, {{name}}!", { name });
