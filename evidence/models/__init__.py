"""Who answers the agent's questions: any OpenAI-compatible endpoint, or a script."""
